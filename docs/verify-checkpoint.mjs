#!/usr/bin/env node
// Checks what `medialog audit` exported, without Medialog and without any package: signatures (Ed25519), that events are
// under a checkpoint (RFC 9162, 2.1.3.2), that one checkpoint is the beginning of another (2.1.4.2), that a ledger is
// whole and adds up. What is hashed, and how, is in reference/log-format.md.
//
//   node verify-checkpoint.mjs KEY checkpoint NOTE
//   node verify-checkpoint.mjs KEY events PROOFS.json [NOTE]      NOTE: they must be under that very checkpoint
//   node verify-checkpoint.mjs KEY consistency PROOF.json [OLD NEW]
//   node verify-checkpoint.mjs KEY handover NOTE                  which key followed KEY, as KEY has signed
//   node verify-checkpoint.mjs KEY receipt RECEIPT.json [PROOFS.json [NOTE]]   that an erasure is done, and is in the log
//   node verify-checkpoint.mjs KEY ledger LEDGER.ndjson [KEPT]       KEPT: a checkpoint, or a LEDGER.ndjson, from before
//   node verify-checkpoint.mjs KEY statement STATEMENT.json LEDGER.ndjson     that a statement is what the ledger says
//
// KEY is the public key that you were given, `name+id+key`, or a file that holds it. Exit code 0: all is proven.
//
// Pages in a browser import it as well, with Web Crypto in place of Node's: `checkLedger`, `checkStatement`.

export class NotProven extends Error {}
const fail = (why) => {
  throw new NotProven(why)
}

/** Node's own modules; null in a browser. */
function inNode(name) {
  const { process } = globalThis
  if (!process?.versions?.node) return null
  if (process.getBuiltinModule) return process.getBuiltinModule(name)
  throw new Error('Node 20.16 or newer is needed.')
}

const encoder = new TextEncoder()
const joined = (...parts) => {
  const all = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part))
  const whole = new Uint8Array(all.reduce((length, { byteLength }) => length + byteLength, 0))
  let at = 0
  for (const part of all) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest('SHA-256', joined(...parts)))
const nodeOf = (left, right) => sha256(Uint8Array.of(1), left, right)
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
const hex = (all) => Array.from(all, (byte) => byte.toString(16).padStart(2, '0')).join('')
const equal = (a, b) => hex(a) === hex(b)

async function isSigned(text, signature, publicKey) {
  const node = inNode('node:crypto')
  // Web Crypto calls Ed25519 an experiment in older releases of Node.
  if (node) {
    const der = joined(bytes('MCowBQYDK2VwAyEA'), publicKey)
    const key = node.createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })
    return node.verify(null, encoder.encode(text), key, signature)
  }
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', key, signature, encoder.encode(text))
}

/** The text of a signed note (C2SP), once its signature is good. */
async function opened(note, key) {
  const [, name, id, encoded] =
    /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key) ?? fail('the key is no verifier key')
  const typed = bytes(encoded)
  const own = (await sha256(`${name}\n`, typed)).subarray(0, 4)
  if (typed.length !== 33 || typed[0] !== 1 || hex(own) !== id) fail('the key is not a good one')
  const end = note.lastIndexOf('\n\n')
  const text = note.slice(0, end + 1)
  for (const line of note.slice(end + 2).split('\n')) {
    const [dash, signer, signature] = line.split(' ')
    if (end < 0 || dash !== '—' || signer !== name) continue
    const signed = bytes(signature)
    if (equal(signed.subarray(0, 4), own) && (await isSigned(text, signed.subarray(4), typed.subarray(1))))
      return text
  }
  return fail('the signature is not of this key, or what it signed was changed')
}

async function checkpoint(note, key) {
  const [origin, size, root] = (await opened(note, key)).split('\n')
  return { origin, size: Number(size), root: bytes(root) }
}

async function handover(note, key) {
  const [, header, former, next] = (await opened(note, key)).split('\n')
  if (header !== 'medialog signing key handover' || former !== key) fail('it hands over no such key')
  return `the next key is ${next}`
}

/** RFC 9162, 2.1.3.2. */
async function rootOfInclusion(index, size, leaf, hashes) {
  if (index >= size) fail('the event lies behind the checkpoint')
  let [first, last, root] = [index, size - 1, leaf]
  for (const hash of hashes) {
    if (last === 0) fail('the proof is too long')
    if (first % 2 === 1 || first === last) {
      root = await nodeOf(hash, root)
      while (first % 2 === 0 && first !== 0) [first, last] = [first / 2, Math.floor(last / 2)]
    } else root = await nodeOf(root, hash)
    ;[first, last] = [Math.floor(first / 2), Math.floor(last / 2)]
  }
  return last === 0 ? root : fail('the proof is too short')
}

/** Whether a leaf is at its place in the tree of a checkpoint. */
async function isUnder({ root, size }, { index, leaf: { hash, position, revision, stream }, hashes }) {
  const leaf = await sha256(Uint8Array.of(0), canonical({ hash, position, revision, stream }))
  return equal(await rootOfInclusion(index, size, leaf, hashes.map(bytes)), root)
}

/** RFC 9162, 2.1.4.2: the roots of both trees, as the proof has them. */
async function rootsOfConsistency(from, to, oldRoot, proof) {
  if (from === to) return proof.length === 0 ? [oldRoot, oldRoot] : fail('the proof is too long')
  const hashes = Number.isInteger(Math.log2(from)) ? [oldRoot, ...proof] : [...proof]
  let [first, last] = [from - 1, to - 1]
  while (first % 2 === 1) [first, last] = [(first - 1) / 2, Math.floor(last / 2)]
  let earlier = hashes.shift() ?? fail('the proof is too short')
  let later = earlier
  for (const hash of hashes) {
    if (last === 0) fail('the proof is too long')
    if (first % 2 === 1 || first === last) {
      ;[earlier, later] = [await nodeOf(hash, earlier), await nodeOf(hash, later)]
      while (first % 2 === 0 && first !== 0) [first, last] = [first / 2, Math.floor(last / 2)]
    } else later = await nodeOf(later, hash)
    ;[first, last] = [Math.floor(first / 2), Math.floor(last / 2)]
  }
  return last === 0 ? [earlier, later] : fail('the proof is too short')
}

/** RFC 8785. */
const canonical = (value) =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(',')}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.keys(value)
          .sort()
          .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
          .join(',')}}`
      : JSON.stringify(value)

/** Whether two values of JSON are the same. */
const same = (a, b) => a !== undefined && b !== undefined && canonical(a) === canonical(b)

/** Fails where a file shows something else than what was proven, or more; `proven` has all that may be shown. */
function asProven(shown, proven, what) {
  for (const name of Object.keys(shown))
    if (!Object.hasOwn(proven, name) || !same(shown[name], proven[name]))
      fail(`${what}: ${name} is not what was recorded`)
}

/** The event with its own digest and hash, made of all that it says. */
async function hashed({ id, type, version, data, metadata, stream, revision, salt, prev }) {
  const digest = hex(await sha256(salt + canonical(data)))
  const header = canonical({ id, metadata, revision, stream, type, version })
  const hash = hex(await sha256(prev + header + digest))
  return { id, type, version, data, metadata, stream, revision, salt, prev, digest, hash }
}

/** Types of events that take away what stood before them in their stream. */
const ERASING = new Set([
  'MediaDeleted',
  'BatchErased',
  'FileNamesErased',
  'LibraryErased',
  'RequestErased',
  'AccountErased',
  'WebhooksErased',
  'ErasureCompleted',
])

/** The event, of a stream, that says why nothing is left of what was before it. */
const erasing = (proofs, { stream, revision }) =>
  proofs.find(
    ({ event, leaf }) => leaf.stream === stream && leaf.revision > revision && ERASING.has(event?.type),
  )

async function events({ checkpoint: note, key: shownKey, proofs }, key, given) {
  if (!(proofs?.length > 0)) fail('there is no proof in it')
  if (shownKey !== undefined && shownKey !== key) fail('it names another key')
  const signed = await checkpoint(given ?? note, key)
  const places = new Set()
  for (const proof of proofs) {
    const { index, leaf, event } = proof
    const { position, stream, revision, hash } = leaf
    const place = `position ${position}, revision ${revision} of ${stream}`
    if (places.size === places.add(index).size) fail(`${place}: it is there twice`)
    if (!(await isUnder(signed, proof))) fail(`${place}: not under the checkpoint`)
    const own = event && (await hashed(event))
    if (own) asProven(event, { ...own, position, stream, revision }, place)
    if (own && own.hash !== hash) fail(`${place}: the event is not the one recorded`)
    const end = event ? null : erasing(proofs, leaf)
    if (!event && !end) fail(`${place}: the event is not shown, and no later one says that it was erased`)
    console.log(
      `${place}: ${event ? `${event.type}, recorded as it stands` : `recorded, its content erased by ${end.event.type}`}`,
    )
  }
  return `${proofs.length} ${proofs.length === 1 ? 'event is' : 'events are'} among the first ${signed.size} of the log`
}

async function consistency({ old, new: later, hashes, from, to }, key, givenOld, givenNew) {
  const [a, b] = [await checkpoint(givenOld ?? old, key), await checkpoint(givenNew ?? later, key)]
  if ((from ?? a.size) !== a.size || (to ?? b.size) !== b.size)
    fail('the checkpoints are of other sizes than it says')
  if (a.origin !== b.origin) fail('the checkpoints are of two logs')
  if (a.size < 1 || a.size > b.size) fail('the later checkpoint is of fewer events')
  const [earlier, root] = await rootsOfConsistency(a.size, b.size, a.root, hashes.map(bytes))
  if (!equal(earlier, a.root) || !equal(root, b.root)) fail('the earlier is not the beginning of the later')
  return `the first ${a.size} events are the same in both`
}

/** What the file shows must be what was signed; the event that a receipt names must be among those that are proven. */
async function receipt({ note, key: shownKey, ...shown }, key, proofs, given) {
  const [header, , text] = (await opened(note, key)).split('\n')
  if (header !== 'medialog erasure receipt 1') fail('it is signed, and no receipt of an erasure')
  const signed = JSON.parse(text)
  const { erasure_id: id, ingests, digest, items, requested_at, erased_at: at, event } = signed
  if (shownKey !== undefined && shownKey !== key) fail('it names another key')
  const said = { erasure_id: id, status: 'erased', requested_at, ingests, receipt: signed }
  asProven(shown, said, 'the receipt')
  const ids = items.map((item) => `${item.ingest_id}\n`).sort()
  if (ids.length !== ingests || hex(await sha256(ids.join(''))) !== digest)
    fail('its items are not the ingests that were erased')
  const done = `${id}: ${ingests} ingests erased at ${at}`
  if (!proofs) return `${done}; whether the log holds it was not looked at`
  const isNamed = ({ leaf }) =>
    leaf.stream === event.stream && leaf.revision === event.revision && leaf.hash === event.hash
  if (!proofs.proofs?.some(isNamed)) fail('the proofs are of other events than the receipt names')
  await events(proofs, key, given)
  return `${done}, recorded in the log`
}

/** The lines of a ledger's proof: what proves it, and its events. */
function ledgerIn(text) {
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const { ledger } = lines[0] ?? {}
  if (ledger?.format !== 'medialog ledger proof 1') fail('it is no proof of a ledger')
  const events = lines
    .slice(1)
    .map(({ event, ...more }) => (event && same(more, {}) ? event : fail('a line holds no event')))
  return { ledger, events }
}

/** How many events what was kept covers, a checkpoint or a ledger's proof: what `since` takes. @throws NotProven */
export function sizeKept(kept) {
  const note = kept.startsWith('{') ? ledgerIn(kept).ledger.checkpoint : kept
  const [, size] = note.split('\n')
  return /^\d{1,15}$/.test(size) ? Number(size) : fail('what was kept is no checkpoint')
}

/** The events of a ledger, once each follows the one before it and the last one is under the checkpoint. */
async function chain({ ledger, events: all }, key) {
  const { account_id, stream, events: count, checkpoint: note, key: shownKey, head } = ledger
  if (shownKey !== key) fail('it names another key')
  if (stream !== `ledger-${account_id}` || head.leaf.stream !== stream)
    fail('it is the ledger of another account')
  if (all.length !== count) fail(`it has ${all.length} events, and says ${count}`)
  let before = hex(await sha256(stream))
  for (const [revision, event] of all.entries()) {
    const place = `revision ${revision}`
    if (event.stream !== stream || event.revision !== revision) fail(`${place}: it is another event`)
    const own = await hashed(event)
    asProven(event, own, place)
    if (event.hash !== own.hash) fail(`${place}: its hash is not shown`)
    if (event.prev !== before) fail(`${place}: it does not follow the event before it`)
    before = own.hash
  }
  if (head.leaf.hash !== before || head.leaf.revision !== all.length - 1)
    fail('its last event is not the one that is proven')
  const signed = await checkpoint(note, key)
  if (!(await isUnder(signed, head))) fail('its last event is not under the checkpoint')
  return signed
}

/** That nothing was taken back since: what was kept is the beginning of what is there now. */
async function continued(kept, { ledger, events: all }, now, key) {
  const before = kept.startsWith('{') ? ledgerIn(kept) : null
  if (before) await chain(before, key)
  const old = await checkpoint(before ? before.ledger.checkpoint : kept, key)
  if (old.origin !== now.origin) fail('what was kept is of another log')
  if (old.size > now.size) fail('the checkpoint is older than the one that was kept')
  const { from, hashes } = ledger.consistency ?? { from: now.size, hashes: [] }
  if (from !== old.size) fail(`ask for it with since=${old.size}: it is not proven to continue what was kept`)
  const [earlier, later] = await rootsOfConsistency(old.size, now.size, old.root, hashes.map(bytes))
  if (!equal(earlier, old.root) || !equal(later, now.root)) fail('it does not continue what was kept')
  if (before && !before.events.every((event, revision) => all[revision]?.hash === event.hash))
    fail('the ledger does not begin with the one that was kept')
}

const DAY = 24 * 3_600_000
const usd = (nano) =>
  `${nano < 0n ? '-' : ''}${String(nano)
    .replace('-', '')
    .padStart(10, '0')
    .replace(/(\d{9})$/, '.$1')
    .replace(/\.?0+$/, '')}`

/** The postings of a ledger, with the balance after each, and what they come to. */
function replayed(events) {
  const postings = []
  const totals = { credited: 0n, charged: 0n, refunded: 0n }
  /** By charge: what is left of each price, and the refunds that it had. */
  const open = new Map()
  let balance = 0n
  for (const { type, data, revision } of events) {
    const wrong = (why) => fail(`revision ${revision}: ${why}`)
    const amount = BigInt(data.amount ?? 0)
    const lines = data.lines?.map(({ price, amount }) => ({ price, amount: BigInt(amount) })) ?? []
    if (data.lines && lines.reduce((sum, line) => sum + line.amount, 0n) !== amount)
      wrong('its lines do not add up to it')
    const post = (kind, id, change, more) => {
      balance += change
      postings.push({ revision, at: data.at, kind, id, ...more, amount: usd(change), balance: usd(balance) })
    }
    if (type === 'BalanceCredited') {
      totals.credited += amount
      post('credit', data.creditId, amount)
    } else if (type === 'BalanceCharged') {
      totals.charged += amount
      if (open.has(data.chargeId)) wrong('a charge with its id is open')
      open.set(data.chargeId, {
        rest: new Map(lines.map((line) => [line.price, line.amount])),
        refunds: new Set(),
      })
      post('charge', data.chargeId, -amount)
      if (balance < 0n) wrong('it takes the balance below zero')
    } else if (type === 'BalanceRefunded') {
      const { rest, refunds } = open.get(data.chargeId) ?? wrong('its charge is not open')
      if (refunds.size === refunds.add(data.refundId).size) wrong('it was refunded before')
      for (const line of lines) {
        const left = (rest.get(line.price) ?? 0n) - line.amount
        if (left < 0n || line.amount < 0n) wrong('it pays back more than is left')
        rest.set(line.price, left)
      }
      if ([...rest.values()].every((left) => left === 0n)) open.delete(data.chargeId)
      totals.refunded += amount
      post('refund', data.refundId, amount, { charge_id: data.chargeId })
    } else if (type === 'ChargeSettled') {
      if (!open.delete(data.chargeId)) wrong('it settles a charge that is not open')
    } else if (type === 'BooksClosed') {
      for (const name of Object.keys(totals))
        if (BigInt(data.totals[name]) !== totals[name]) wrong(`${name} is not what was carried over`)
      if (BigInt(data.balance) !== balance) wrong('the balance is not what was carried over')
    } else if (type === 'LedgerClosed') {
      if (BigInt(data.balance) !== balance) wrong('it closes with another balance')
    } else wrong(`${type} is no event of a ledger`)
  }
  setTimes(postings)
  return { postings, totals, balance }
}

/** When postings count: never before the one in front of them; a clock that was ahead is corrected. */
function setTimes(postings) {
  let last = 0
  let leap = null
  for (const [index, posting] of postings.entries()) {
    const { at } = posting
    if (leap && at < leap.at - DAY) {
      last = Math.max(leap.before, at)
      for (const early of postings.slice(leap.index, index)) early.at = last
      leap = null
    } else {
      const now = Math.max(last, at)
      if (now - last > DAY) leap = { before: last, at: now, index }
      else if (leap && (now - leap.at > DAY || index - leap.index >= 255)) leap = null
      last = now
    }
    posting.at = last
  }
}

/**
 * What a ledger comes to, once all of it is proven. Amounts are decimal USD.
 * @param key the verifier key that you trust
 * @param text of a ledger's proof
 * @param kept a checkpoint, or the text of a ledger's proof, from before
 * @throws NotProven
 */
export async function checkLedger(key, text, kept) {
  const given = ledgerIn(text)
  const now = await chain(given, key)
  if (kept) await continued(kept, given, now, key)
  const { postings, totals, balance } = replayed(given.events)
  return {
    account: given.ledger.account_id,
    log: now.origin,
    size: now.size,
    events: given.events.length,
    postings,
    totals: Object.fromEntries(Object.entries(totals).map(([name, amount]) => [name, usd(amount)])),
    balance: usd(balance),
  }
}

async function ledger(key, text, kept) {
  const { account, log, size, events: count, postings, totals, balance } = await checkLedger(key, text, kept)
  const last = postings.length > 0 ? new Date(postings.at(-1).at).toISOString() : 'no time'
  console.log(`${account}: ${postings.length} postings in ${count} events, the last at ${last}`)
  for (const [name, amount] of Object.entries(totals)) console.log(`${name} ${amount} USD`)
  return `a balance of ${balance} USD, under a checkpoint of ${size} events of ${log}${kept ? ', which continues what was kept' : ''}`
}

/**
 * That a statement (JSON) says no more, no less and nothing else than the ledger does of its month.
 * @throws NotProven
 */
export async function checkStatement(key, text, ledgerText) {
  const given = ledgerIn(ledgerText)
  await chain(given, key)
  const said = JSON.parse(text).data ?? JSON.parse(text)
  if (said.account_id !== given.ledger.account_id) fail('the ledger is of another account')
  const { postings } = replayed(given.events)
  const { stream, revision: last, hash, checkpoint: note } = said.ledger ?? {}
  if (said.ledger && (stream !== given.ledger.stream || given.events[last]?.hash !== hash))
    fail('its reference is of another event')
  if (note) await checkpoint(note, key)
  const [from, until] = [Date.parse(said.from), Date.parse(said.until)]
  if (new Date(from).toISOString() !== `${said.month}-01T00:00:00.000Z`)
    fail('it does not begin with its month')
  const own = postings.filter(({ at }) => at >= from && at < until)
  if (said.postings.length !== own.length)
    fail(`it has ${said.postings.length} postings, the ledger has ${own.length}`)
  for (const [index, { lines, cause: _, ...shown }] of said.postings.entries()) {
    const { at, ...posting } = own[index]
    const place = `revision ${posting.revision}`
    if (!same(shown, { ...posting, at: new Date(at).toISOString() }))
      fail(`${place}: the posting is another one`)
    const { data } = given.events[posting.revision]
    const due = (data.lines ?? []).map(({ price, amount }) => ({ price, amount: usd(BigInt(amount)) }))
    if (!same(lines, due)) fail(`${place}: it is for something else`)
  }
  const before = postings.findLast(({ at }) => at < from)?.balance ?? '0'
  const sum = (kind) =>
    usd(
      own
        .filter((posting) => posting.kind === kind)
        .reduce((all, { revision }) => all + BigInt(given.events[revision].data.amount), 0n),
    )
  const sums = {
    opening_balance: before,
    credited: sum('credit'),
    charged: sum('charge'),
    refunded: sum('refund'),
    closing_balance: own.at(-1)?.balance ?? before,
  }
  for (const [name, amount] of Object.entries(sums))
    if (said[name] !== amount) fail(`${name} is ${amount}, not ${said[name]}`)
  return `${own.length} postings of ${said.month}, closing with ${sums.closing_balance} USD`
}

const read = (path) => inNode('node:fs').readFileSync(path, 'utf8')

const WORK = {
  async checkpoint(key, note) {
    const { size, origin } = await checkpoint(read(note), key)
    return `${size} events of ${origin}`
  },
  events: (key, proofs, note) => events(JSON.parse(read(proofs)), key, note && read(note)),
  handover: (key, note) => handover(read(note), key),
  receipt: (key, file, proofs, note) =>
    receipt(JSON.parse(read(file)), key, proofs && JSON.parse(read(proofs)), note && read(note)),
  ledger: (key, file, kept) => ledger(key, read(file), kept && read(kept)),
  statement: (key, file, proof) => checkStatement(key, read(file), read(proof)),
  consistency: (key, proof, ...notes) => consistency(JSON.parse(read(proof)), key, ...notes.map(read)),
}

async function main([given, what, ...files]) {
  if (!Object.hasOwn(WORK, what ?? '') || files.length === 0) {
    console.error(`usage: verify-checkpoint.mjs KEY ${Object.keys(WORK).join('|')} FILE…`)
    return 2
  }
  try {
    const key = (inNode('node:fs').existsSync(given) ? read(given) : given).trim()
    console.log(`proven: ${await WORK[what](key, ...files)}`)
    return 0
  } catch (error) {
    console.error(error instanceof NotProven ? `NOT PROVEN: ${error.message}` : String(error))
    return 1
  }
}

const script = inNode('node:process')?.argv[1]
const isRun = () =>
  inNode('node:url').pathToFileURL(inNode('node:fs').realpathSync(script)).href === import.meta.url
if (script && isRun()) process.exitCode = await main(process.argv.slice(2))
