/** Lines on a grid of 24; by name. */
const PATHS = {
  library: 'M4 5h6v14H4zM14 5h6v6h-6zM14 15h6v4h-6z',
  search: 'M11 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM20 20l-4.6-4.6',
  ask: 'M5 5h14v11H10l-5 4zM9 9h6M9 12h4',
  billing: 'M4 7h16v11H4zM4 11h16M8 15h3',
  live: 'M4 13h4l2-7 4 12 2-5h4',
  operator: 'M12 4l7 3v5c0 4-3 7-7 8-4-1-7-4-7-8V7zM9.5 12l2 2 3.5-4',
  document: 'M7 4h7l4 4v12H7zM14 4v4h4M10 12h5M10 15h5',
  image: 'M4 6h16v12H4zM4 16l5-5 4 4 3-3 4 4M9 9.5h.01',
  video: 'M4 6h11v12H4zM15 11l5-3v8l-5-3',
  audio:
    'M9 17V6l9-2v11M9 17a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM18 15a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z',
  model: 'M12 4l7 4v8l-7 4-7-4V8zM5 8l7 4 7-4M12 12v8',
  list: 'M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01',
  grid: 'M5 5h5v5H5zM14 5h5v5h-5zM5 14h5v5H5zM14 14h5v5h-5z',
  upload: 'M12 16V5M7 10l5-5 5 5M5 19h14',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  check: 'M5 13l4 4L19 7',
  trash: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12',
  back: 'M14 6l-6 6 6 6',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  leave: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
  theme: 'M12 5a7 7 0 1 0 0 14zM12 5a7 7 0 1 1 0 14',
} as const
export type IconName = keyof typeof PATHS

/** Beside a text, which says what it means. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
)
