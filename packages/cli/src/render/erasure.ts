import { counted } from '@medialog/kernel'
import type { Erasure } from '../client/answers.ts'
import type { ErasureAudit } from '../erasure/erasure-audit.ts'
import { bar } from '../terminal/bar.ts'
import { bytes, localTime, percent } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

export function renderErasure({ erasure_id: id, status, ingests, receipt }: Erasure, look: Look): string[] {
  return pairs(
    [
      ['erasure', look.accent(clean(id))],
      ['status', status === 'erased' ? look.good('nothing of it is left') : look.warn('pending')],
      ['ingests', `${ingests}`],
      ...(receipt ? [['erased', localTime(receipt.erased_at)] as [string, string]] : []),
      ...(receipt?.stores ?? []).map(({ store, how }): [string, string] => [clean(store), clean(how)]),
    ],
    look,
  )
}

export function renderErasureAudit(audit: ErasureAudit, look: Look): string[] {
  const { erasure_id: id, signature, folder, stores, traces, found, intact } = audit
  return [
    ...pairs(
      [
        ['erasure', look.accent(clean(id))],
        ['signature', signature === 'good' ? look.good('good') : look.bad(clean(signature))],
        ...(folder
          ? [['read', `${counted(folder.files, 'file')}, ${bytes(folder.bytes)}`] as [string, string]]
          : []),
        ...(folder?.lawful ?? []).map(({ place, names, why }): [string, string] => [
          'lawful',
          `${clean(place)}: ${counted(names, 'name')}, ${why}`,
        ]),
        ...(stores ?? []).map(({ store, how }): [string, string] => [clean(store), clean(how)]),
        ...(audit.not_recorded ? [['not recorded', clean(audit.not_recorded)] as [string, string]] : []),
        ...audit.not_scanned.map((why): [string, string] => ['not scanned', clean(why)]),
      ],
      look,
    ),
    ...traces.map(
      ({ store, place, what }) => `${look.bad('found')} ${clean(store)}, ${clean(place)}: ${clean(what)}`,
    ),
    intact ? look.good('Nothing of it was found.') : look.bad(`${counted(found, 'thing')} found.`),
  ]
}

export function renderScanProgress({ bytes: done, of }: { bytes: number; of: number }, look: Look): string {
  const ratio = of === 0 ? 1 : Math.min(done / of, 1)
  return `${look.accent(bar(ratio, 24))}  ${percent(ratio).padStart(5)}  ${look.dim(`${bytes(done)} of ${bytes(of)}`)}`
}
