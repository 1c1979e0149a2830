import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const CSS = ['base', 'search']
  .map((name) => readFileSync(new URL(`${name}.css`, import.meta.url), 'utf8'))
  .join('\n')

type Theme = 'light' | 'dark'

/** The colours of a custom property, or of the background of a class. */
function colorOf(name: string, theme: Theme): string {
  const value = new RegExp(
    name.startsWith('--') ? `${name}: ([^;]+);` : `\\${name} \\{\n  background: ([^;]+);`,
  ).exec(CSS)![1]!
  const pair = /^light-dark\((#\w+), (#\w+)\)$/.exec(value)
  if (pair) return pair[theme === 'light' ? 1 : 2]!
  return value.startsWith('var(') ? colorOf(value.slice(4, -1), theme) : value
}

/** Relative luminance: WCAG 2.2. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string, theme: Theme): number {
  const [low, high] = [one, other].map((name) => luminance(colorOf(name, theme))).toSorted((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}

const THEMES: readonly Theme[] = ['light', 'dark']

test.each(THEMES)('text and placeholders have a contrast of 4.5 to their ground, %s', (theme) => {
  for (const ground of ['--ground', '--raised', '--over'])
    for (const ink of ['--ink', '--soft', '--accent', '--danger', '--good'])
      expect(contrast(ink, ground, theme), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5)
  for (const name of ['accent', 'danger', 'good', 'warn'])
    expect(contrast(`--${name}`, `--${name}-ground`, theme), name).toBeGreaterThanOrEqual(4.5)
})

test.each(THEMES)('bars, their parts and the lines around fields have a contrast of 3, %s', (theme) => {
  for (const name of [
    '--strong-line',
    '.words-part',
    '.meaning-part',
    '.raised-part',
    '--document',
    '--image',
    '--video',
    '--audio',
    '--model',
  ])
    expect(contrast(name, '--ground', theme), name).toBeGreaterThanOrEqual(3)
})
