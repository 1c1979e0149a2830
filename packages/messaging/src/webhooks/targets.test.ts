import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { describe, expect, test } from 'vitest'
import { blockList, createTargets } from './targets.ts'

const strict = { plainHttp: false, networks: [] }
const refusal = (url: string, settings: Parameters<typeof createTargets>[0] = strict) =>
  createTargets(settings).refusalOf(new URL(url))

describe('addresses that are not public', () => {
  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://192.0.2.7/',
    'https://198.18.0.1/',
    'https://203.0.113.9/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::ffff:a00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:db8::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://168.63.129.16/machine/?comp=goalstate',
  ])('are refused as they stand: %s', (url) => {
    expect(refusal(url)).toBe('it is an address that is not public')
  })

  test.each(['https://8.8.8.8/', 'https://172.32.0.1/', 'https://[2606:4700::1111]/', 'https://a.example/'])(
    'and others are not: %s',
    (url) => {
      expect(refusal(url)).toBeNull()
    },
  )

  test('except networks that the operator names', () => {
    const settings = { plainHttp: false, networks: ['10.0.0.0/8', '::1/128'] }
    expect(refusal('https://10.1.2.3/', settings)).toBeNull()
    expect(refusal('https://[::1]/', settings)).toBeNull()
    expect(refusal('https://[::ffff:10.1.2.3]/', settings)).toBeNull()
    expect(refusal('https://127.0.0.1/', settings)).not.toBeNull()
    for (const metadata of [
      'https://168.63.129.16/',
      'https://169.254.169.254/',
      'https://169.254.170.2/',
      'https://100.100.100.200/',
      'https://192.0.0.192/',
      'https://[fd00:ec2::254]/',
      'https://[fd20:ce::254]/',
      'https://[::ffff:169.254.169.254]/',
    ])
      expect(refusal(metadata, { plainHttp: false, networks: ['0.0.0.0/0', '::/0'] })).not.toBeNull()
    expect(() => blockList(['10.0.0.0/33'])).toThrow('no network')
    expect(() => blockList(['localhost'])).toThrow('no network')
  })
})

test('only https, unless the operator allows http, and never with a password', () => {
  expect(refusal('http://a.example/')).toBe('it must begin with https:')
  expect(refusal('http://a.example/', { plainHttp: true, networks: [] })).toBeNull()
  expect(refusal('ftp://a.example/', { plainHttp: true, networks: [] })).toContain('http')
  expect(refusal('https://me:secret@a.example/')).toContain('password')
})

describe('names', () => {
  const resolving = (...addresses: string[]) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    const { lookup: checked } = createTargets(strict, async () => found)
    const asked = <T>(options: object) =>
      new Promise<T>((resolve, reject) =>
        checked('a.example', options, (error, address) =>
          error ? reject(error) : resolve(address as unknown as T),
        ),
      )
    return { one: () => asked<string>({}), all: () => asked<LookupAddress[]>({ all: true }) }
  }

  test('hand out only what may be connected to', async () => {
    const names = resolving('127.0.0.1', '10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111')
    expect(await names.one()).toBe('8.8.8.8')
    expect((await names.all()).map(({ address }) => address)).toEqual(['8.8.8.8', '2606:4700::1111'])
  })

  test('that lead nowhere else are refused', async () => {
    await expect(resolving('169.254.169.254').one()).rejects.toThrow('no public address')
    await expect(resolving('::ffff:127.0.0.1', 'fe80::1').all()).rejects.toThrow('no public address')
    await expect(resolving().all()).rejects.toThrow('no public address')
  })
})
