import { expect, test } from 'vitest'
import { boundUrl } from './bound-url.ts'

test.each([
  [{ address: '127.0.0.1', family: 'IPv4', port: 8080 }, 'http://127.0.0.1:8080'],
  [{ address: '192.0.2.7', family: 'IPv4', port: 80 }, 'http://192.0.2.7:80'],
  [{ address: '2001:db8::7', family: 'IPv6', port: 8080 }, 'http://[2001:db8::7]:8080'],
  [{ address: '0.0.0.0', family: 'IPv4', port: 8080 }, 'http://127.0.0.1:8080'],
  [{ address: '::', family: 'IPv6', port: 8080 }, 'http://[::1]:8080'],
])('a server at %o is asked at %s', (bound, url) => {
  expect(boundUrl(bound)).toBe(url)
})
