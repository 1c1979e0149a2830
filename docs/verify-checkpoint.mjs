#!/usr/bin/env node
// Checks what `medialog audit` exported, without Medialog and without any package: signatures (Ed25519), that events are
// under a checkpoint (RFC 9162, 2.1.3.2), that one checkpoint is the beginning of another (2.1.4.2).
//
//   node verify-checkpoint.mjs KEY checkpoint NOTE
//   node verify-checkpoint.mjs KEY events PROOFS.json [NOTE]      NOTE: they must be under that very checkpoint
//   node verify-checkpoint.mjs KEY consistency PROOF.json [OLD NEW]
//   node verify-checkpoint.mjs KEY handover NOTE                  which key followed KEY, as KEY has signed
//   node verify-checkpoint.mjs KEY receipt RECEIPT.json [PROOFS.json [NOTE]]   that an erasure is done, and is in the log
//
// KEY is the public key that you were given, `name+id+key`, or a file that holds it. Exit code 0: all is proven.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

class NotProven extends Error {}
const fail = (why) => {
  throw new NotProven(why)
}
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const nodeOf = (left, right) => sha256(Buffer.from([1]), left, right)
const bytes = (text) => Buffer.from(text, 'base64')
const read = (path) => readFileSync(path, 'utf8')

/** The text of a signed note (C2SP), once its signature is good. */
function opened(note, key) {
  const [, name, id, encoded] =
    /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key) ?? fail('the key is no verifier key')
  const typed = bytes(encoded)
  const own = sha256(`${name}\n`, typed).subarray(0, 4)
  if (typed.length !== 33 || typed[0] !== 1 || own.toString('hex') !== id) fail('the key is not a good one')
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), typed.subarray(1)])
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const end = note.lastIndexOf('\n\n')
  const text = note.slice(0, end + 1)
  for (const line of note.slice(end + 2).split('\n')) {
    const [dash, signer, signature] = line.split(' ')
    if (end < 0 || dash !== '—' || signer !== name) continue
    const signed = bytes(signature)
    if (signed.subarray(0, 4).equals(own) && verify(null, Buffer.from(text), publicKey, signed.subarray(4)))
      return text
  }
  return fail('the signature is not of this key, or what it signed was changed')
}

function checkpoint(note, key) {
  const [origin, size, root] = opened(note, key).split('\n')
  return { origin, size: Number(size), root: bytes(root) }
}

function handover(note, key) {
  const [, header, former, next] = opened(note, key).split('\n')
  if (header !== 'medialog signing key handover' || former !== key) fail('it hands over no such key')
  return `the next key is ${next}`
}

/** RFC 9162, 2.1.3.2. */
function rootOfInclusion(index, size, leaf, hashes) {
  if (index >= size) fail('the event lies behind the checkpoint')
  let [first, last, root] = [index, size - 1, leaf]
  for (const hash of hashes) {
    if (last === 0) fail('the proof is too long')
    if (first % 2 === 1 || first === last) {
      root = nodeOf(hash, root)
      while (first % 2 === 0 && first !== 0) [first, last] = [first / 2, Math.floor(last / 2)]
    } else root = nodeOf(root, hash)
    ;[first, last] = [Math.floor(first / 2), Math.floor(last / 2)]
  }
  return last === 0 ? root : fail('the proof is too short')
}

/** RFC 9162, 2.1.4.2: the roots of both trees, as the proof has them. */
function rootsOfConsistency(from, to, oldRoot, proof) {
  if (from === to) return proof.length === 0 ? [oldRoot, oldRoot] : fail('the proof is too long')
  const hashes = Number.isInteger(Math.log2(from)) ? [oldRoot, ...proof] : [...proof]
  let [first, last] = [from - 1, to - 1]
  while (first % 2 === 1) [first, last] = [(first - 1) / 2, Math.floor(last / 2)]
  let earlier = hashes.shift() ?? fail('the proof is too short')
  let later = earlier
  for (const hash of hashes) {
    if (last === 0) fail('the proof is too long')
    if (first % 2 === 1 || first === last) {
      ;[earlier, later] = [nodeOf(hash, earlier), nodeOf(hash, later)]
      while (first % 2 === 0 && first !== 0) [first, last] = [first / 2, Math.floor(last / 2)]
    } else later = nodeOf(later, hash)
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
function hashed({ id, type, version, data, metadata, stream, revision, salt, prev }) {
  const digest = sha256(salt + canonical(data)).toString('hex')
  const header = canonical({ id, metadata, revision, stream, type, version })
  const hash = sha256(prev + header + digest).toString('hex')
  return { id, type, version, data, metadata, stream, revision, salt, prev, digest, hash }
}

/** Types of events that take away what stood before them in their stream. */
const ERASING = new Set([
  'MediaDeleted',
  'BatchErased',
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

function events({ checkpoint: note, key: shownKey, proofs }, key, given) {
  if (!(proofs?.length > 0)) fail('there is no proof in it')
  if (shownKey !== undefined && shownKey !== key) fail('it names another key')
  const { size, root } = checkpoint(given ?? note, key)
  const places = new Set()
  for (const { index, leaf, hashes, event } of proofs) {
    const { position, stream, revision, hash } = leaf
    const place = `position ${position}, revision ${revision} of ${stream}`
    if (places.size === places.add(index).size) fail(`${place}: it is there twice`)
    const leafHash = sha256(Buffer.from([0]), canonical({ hash, position, revision, stream }))
    if (!rootOfInclusion(index, size, leafHash, hashes.map(bytes)).equals(root))
      fail(`${place}: not under the checkpoint`)
    if (event) asProven(event, { ...hashed(event), position, stream, revision }, place)
    if (event && hashed(event).hash !== hash) fail(`${place}: the event is not the one recorded`)
    const end = event ? null : erasing(proofs, leaf)
    if (!event && !end) fail(`${place}: the event is not shown, and no later one says that it was erased`)
    console.log(
      `${place}: ${event ? `${event.type}, recorded as it stands` : `recorded, its content erased by ${end.event.type}`}`,
    )
  }
  return `${proofs.length} ${proofs.length === 1 ? 'event is' : 'events are'} among the first ${size} of the log`
}

function consistency({ old, new: later, hashes, from, to }, key, givenOld, givenNew) {
  const [a, b] = [checkpoint(givenOld ?? old, key), checkpoint(givenNew ?? later, key)]
  if ((from ?? a.size) !== a.size || (to ?? b.size) !== b.size)
    fail('the checkpoints are of other sizes than it says')
  if (a.origin !== b.origin) fail('the checkpoints are of two logs')
  if (a.size < 1 || a.size > b.size) fail('the later checkpoint is of fewer events')
  const [earlier, root] = rootsOfConsistency(a.size, b.size, a.root, hashes.map(bytes))
  if (!earlier.equals(a.root) || !root.equals(b.root)) fail('the earlier is not the beginning of the later')
  return `the first ${a.size} events are the same in both`
}

/** What the file shows must be what was signed; the event that a receipt names must be among those that are proven. */
function receipt({ note, key: shownKey, ...shown }, key, proofs, given) {
  const [header, , text] = opened(note, key).split('\n')
  if (header !== 'medialog erasure receipt 1') fail('it is signed, and no receipt of an erasure')
  const signed = JSON.parse(text)
  const { erasure_id: id, ingests, requested_at, erased_at: at, event } = signed
  if (shownKey !== undefined && shownKey !== key) fail('it names another key')
  const said = { erasure_id: id, status: 'erased', requested_at, ingests, receipt: signed }
  asProven(shown, said, 'the receipt')
  const done = `${id}: ${ingests} ingests erased at ${at}`
  if (!proofs) return `${done}; whether the log holds it was not looked at`
  const isNamed = ({ leaf }) =>
    leaf.stream === event.stream && leaf.revision === event.revision && leaf.hash === event.hash
  if (!proofs.proofs?.some(isNamed)) fail('the proofs are of other events than the receipt names')
  events(proofs, key, given)
  return `${done}, recorded in the log`
}

const WORK = {
  checkpoint: (key, note) =>
    `${checkpoint(read(note), key).size} events of ${checkpoint(read(note), key).origin}`,
  events: (key, proofs, note) => events(JSON.parse(read(proofs)), key, note && read(note)),
  handover: (key, note) => handover(read(note), key),
  receipt: (key, file, proofs, note) =>
    receipt(JSON.parse(read(file)), key, proofs && JSON.parse(read(proofs)), note && read(note)),
  consistency: (key, proof, ...notes) => consistency(JSON.parse(read(proof)), key, ...notes.map(read)),
}

const [given, what, ...files] = process.argv.slice(2)
if (!Object.hasOwn(WORK, what ?? '') || files.length === 0) {
  console.error('usage: verify-checkpoint.mjs KEY checkpoint|events|consistency|handover|receipt FILE…')
  process.exit(2)
}
try {
  const key = (existsSync(given) ? read(given) : given).trim()
  console.log(`proven: ${WORK[what](key, ...files)}`)
} catch (error) {
  console.error(error instanceof NotProven ? `NOT PROVEN: ${error.message}` : String(error))
  process.exit(1)
}
