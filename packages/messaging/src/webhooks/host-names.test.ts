import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNameResolver } from './host-names.ts'

const TYPES = { A: 1, AAAA: 28 } as const
type Zone = { [name: string]: { A?: number[]; AAAA?: number[] } }

/** A nameserver that knows a few names, and never says anything of those under `silent.example`. */
async function startNameserver(zone: Zone) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { address, port }) => {
    const labels: string[] = []
    let at = 12
    for (; query[at] !== 0; at += query[at]! + 1)
      labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
    const name = labels.join('.')
    asked.push(name)
    if (name.endsWith('silent.example')) return
    const type = query.readUInt16BE(at + 1)
    const known = zone[name]
    const data = known && (type === TYPES.A ? known.A : type === TYPES.AAAA ? known.AAAA : undefined)
    const header = Buffer.alloc(12)
    header.writeUInt16BE(query.readUInt16BE(0), 0)
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(data ? 1 : 0, 6)
    const question = query.subarray(12, at + 5)
    const record = data ? [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data] : []
    socket.send(Buffer.concat([header, question, Buffer.from(record)]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return { servers: [`127.0.0.1:${socket.address().port}`], asked, close: () => socket.close() }
}

const IPV6 = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]
let folder: string
let hostsFile: string
let nameserver: Awaited<ReturnType<typeof startNameserver>>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hosts-'))
  hostsFile = join(folder, 'hosts')
  writeFileSync(
    hostsFile,
    '# local\n::1\tlocalhost ip6\n127.0.0.1  LocalHost # all of it\nnothing here.example\n',
  )
  nameserver = await startNameserver({
    'both.example': { A: [8, 8, 8, 8], AAAA: IPV6 },
    'six.example': { AAAA: IPV6 },
    'empty.example': {},
  })
})
afterAll(() => {
  nameserver.close()
  rmSync(folder, { recursive: true })
})

const resolver = (timeoutMs?: number) =>
  createNameResolver({ hostsFile, servers: nameserver.servers, timeoutMs })

test('addresses of both families are found, IPv4 first', async () => {
  const six = { address: '2606:4700::1111', family: 6 }
  expect(await resolver()('both.example')).toEqual([{ address: '8.8.8.8', family: 4 }, six])
  expect(await resolver()('six.example')).toEqual([six])
})

test.each(['unknown.example', 'empty.example', 'here.example'])('%s has none', async (name) => {
  await expect(resolver()(name)).rejects.toThrow(name)
})

test('the hosts file comes first, and no nameserver is asked then', async () => {
  const local = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  expect([await resolver()('localhost'), await resolver()('LOCALHOST.')]).toEqual([local, local])
  expect(nameserver.asked.filter((name) => /localhost/i.test(name))).toEqual([])
})

test('without a hosts file DNS is asked', async () => {
  const resolve = createNameResolver({ hostsFile: join(folder, 'none'), servers: nameserver.servers })
  expect(await resolve('both.example')).toHaveLength(2)
})

test('a silent nameserver holds no other lookup up', async () => {
  const ended: string[] = []
  const ask = (name: string, timeoutMs: number) =>
    resolver(timeoutMs)(name)
      .catch(() => [])
      .then(() => void ended.push(name))
  const slow = Array.from({ length: 16 }, (_, at) => `${at}.silent.example`)
  for (const name of slow) void ask(name, 60_000)
  await expect.poll(() => slow.filter((name) => nameserver.asked.includes(name))).toEqual(slow)
  await ask('both.example', 60_000)
  expect(ended).toEqual(['both.example'])
})

test('a nameserver that says nothing is given up', async () => {
  await expect(resolver(50)('silent.example')).rejects.toThrow('ETIMEOUT')
})
