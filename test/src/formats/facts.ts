import type { Answer } from '../harness/client.ts'

type Item = Answer['body']

/** Each of the facts of an item as the page words it: `2 pages`, `640 × 400`, `title Test Tone`. */
export function factsOf({ file_info: info, metadata: { modality } }: Item): string[] {
  const { structure } = modality
  const facts = (...some: (string | false)[]): string[] =>
    some.filter((fact) => typeof fact === 'string' && !fact.includes('undefined')) as string[]
  const named = (kind: string, values: object | undefined): string[] =>
    Object.entries(values ?? {}).map(([name, value]) => [kind, name, value].filter(Boolean).join(' '))
  const { width, height, x, y, z } = info.dimensions ?? {}
  const { visual_attributes: visual, stream_attributes: stream, model_attributes: model } = modality
  const { key_frames: frames, text_recognition: recognition } = modality
  const loudness = stream?.loudness?.integrated_lufs
  return [
    ...facts(
      `${info.page_count} pages`,
      `${info.word_count} words`,
      `${structure.sections.length} ${structure.sections.length === 1 ? 'section' : 'sections'}`,
      structure.has_tables && 'tables',
      structure.has_figures && 'figures',
      `${width} × ${height}`,
      `${info.color_mode}`,
      visual !== undefined && `mostly ${visual.dominant_colors[0].name}`,
      `kind ${visual?.kind}`,
      recognition !== undefined && 'words read from pictures',
      info.duration !== undefined && `${Math.round(info.duration)} s`,
      `${info.resolution}`,
      `${info.frame_rate} frames/s`,
      `${info.sample_rate} Hz`,
      `${info.channels} channels`,
      `${stream?.codec}`,
      `${frames?.length} key frames`,
      typeof loudness === 'number' && `${Math.round(loudness)} LUFS`,
      `${info.vertex_count} corners`,
      `${model?.triangle_count} triangles`,
      `${info.material_count} materials`,
      `box ${x} × ${y} × ${z}`,
    ),
    ...named('EXIF', visual?.exif),
    ...named('', stream?.tags),
    ...(model?.materials ?? []).map((name: string) => `material ${name}`),
    ...(model?.colors ?? []).map((color: { name: string }) => `colour ${color.name}`),
    ...(model?.parts ?? []).map((name: string) => `part ${name}`),
  ]
}

/** What of `told` the item does not have. */
export function lacking(item: Item, told: string): string[] {
  const facts = factsOf(item)
  return told.split('; ').filter((fact) => {
    const [, quoted] = /^“(.*)”$/.exec(fact) ?? []
    return quoted === undefined ? !facts.includes(fact) : !item.content.text.includes(quoted)
  })
}
