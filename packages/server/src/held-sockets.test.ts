import { expect, test } from 'vitest'
import { heldSocketsIn } from './held-sockets.ts'

test.each([
  ['none', {}, { http: null, admin: null }],
  ['one of any name', { LISTEN_FDS: '1', LISTEN_FDNAMES: 'medialog.socket' }, { http: 3, admin: null }],
  ['one without a name', { LISTEN_FDS: '1' }, { http: 3, admin: null }],
  ['both', { LISTEN_FDS: '2', LISTEN_FDNAMES: 'admin:http' }, { http: 4, admin: 3 }],
])('of sockets that are passed, %s', (_, environment, held) => {
  expect(heldSocketsIn({ LISTEN_PID: '7', ...environment }, 7)).toEqual(held)
  expect(heldSocketsIn({ LISTEN_PID: '8', ...environment }, 7)).toEqual({ http: null, admin: null })
})
