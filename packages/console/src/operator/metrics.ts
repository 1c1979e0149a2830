/** One value of Prometheus' text format. */
export interface Sample {
  name: string
  labels: { readonly [name: string]: string }
  value: number
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g
const ESCAPED: ReadonlyMap<string, string> = new Map(Object.entries({ n: '\n', '"': '"', '\\': '\\' }))

/** The samples of an exposition (Prometheus text format 0.0.4); comments and what is no number are left out. */
export const samplesOf = (text: string): Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, name, labels = '', number] = LINE.exec(line) ?? []
    const value = Number(number)
    if (name === undefined || Number.isNaN(value)) return []
    const pairs = Array.from(labels.matchAll(LABEL), ([, label, content]): [string, string] => [
      label!,
      content!.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPED.get(letter) ?? letter),
    ])
    return [{ name, labels: Object.fromEntries(pairs), value }]
  })

export const valueOf = (samples: readonly Sample[], name: string): number | null =>
  samples.find((sample) => sample.name === name)?.value ?? null

/** Over all labels. */
export const totalOf = (samples: readonly Sample[], name: string): number =>
  samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0)
