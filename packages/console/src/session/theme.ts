import { Store } from '../data/store.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const NAME = 'medialog.theme'
const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** What the page looks like now: of the theme that is chosen, and where that is the system's, of the system. */
export const scheme = new Store<'light' | 'dark'>('light')

export const storedTheme = (): Theme =>
  THEMES.find((theme) => theme === localStorage.getItem(NAME)) ?? 'system'

export function applyTheme(theme: Theme = storedTheme()): void {
  localStorage.setItem(NAME, theme)
  document.documentElement.dataset['theme'] = theme
  scheme.set(theme === 'system' ? (prefersDark.matches ? 'dark' : 'light') : theme)
}

prefersDark.addEventListener('change', () => applyTheme())
