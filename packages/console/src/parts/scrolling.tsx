import type { ReactNode } from 'react'

/** For what may be wider than a window: it scrolls to the side by itself, by keys as well. */
export const Scrolling = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="table-scroll" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
)
