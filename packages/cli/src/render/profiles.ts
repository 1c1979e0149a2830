import type { Look } from '../terminal/look.ts'
import type { Profiles } from '../settings/profiles.ts'
import { table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

/** Profiles without their secrets. */
export const describeProfiles = ({ current, profiles }: Profiles) =>
  Object.entries(profiles).map(([name, { url, key, operatorToken }]) => ({
    name,
    current: name === current,
    url: url ?? null,
    // `mlk_<key id>_<secret>`: up to the id it is no secret.
    key: key ? `${/^mlk_[^_]{1,8}_/.exec(key)?.[0] ?? ''}…` : null,
    operator_token: operatorToken ? '…' : null,
  }))

export function renderProfiles(profiles: Profiles, look: Look): string[] {
  const rows = describeProfiles(profiles)
  if (rows.length === 0)
    return ['There is no profile. Add one with `medialog profile add NAME --url URL --key KEY`.']
  return table(
    rows,
    [
      { title: '', value: ({ current }) => (current ? '*' : ''), paint: (_, { good }) => good },
      {
        title: 'PROFILE',
        value: ({ name }) => clean(name),
        paint: (_, { accent }) => accent,
        shrinks: 'end',
      },
      { title: 'URL', value: ({ url }) => clean(url), shrinks: 'end' },
      { title: 'KEY', value: ({ key }) => clean(key), drops: true },
      { title: 'OPERATOR', value: ({ operator_token: token }) => (token ? 'yes' : 'no') },
    ],
    look,
  )
}
