export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const NAME = 'medialog.theme'

export const storedTheme = (): Theme =>
  THEMES.find((theme) => theme === localStorage.getItem(NAME)) ?? 'system'

export function applyTheme(theme: Theme = storedTheme()): void {
  localStorage.setItem(NAME, theme)
  document.documentElement.dataset['theme'] = theme
}
