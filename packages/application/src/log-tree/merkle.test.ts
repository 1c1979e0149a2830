import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { leafHash, type NodeHash } from './leaf.ts'
import {
  consistencyProof,
  EMPTY_ROOT,
  GrowingTree,
  inclusionProof,
  splitOf,
  type SubtreeRoot,
} from './merkle.ts'

const sha256 = (...parts: (string | Buffer)[]): NodeHash =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** Leaves of the tests of Certificate Transparency's own implementations. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => sha256(Buffer.from([0]), Buffer.from(hex, 'hex')))
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const rootOf = (leaves: readonly NodeHash[]): NodeHash => {
  if (leaves.length === 0) return EMPTY_ROOT
  if (leaves.length === 1) return leaves[0]!
  const split = splitOf(leaves.length)
  return sha256(Buffer.from([1]), rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)))
}
const subtreesOf =
  (leaves: readonly NodeHash[]): SubtreeRoot =>
  async (from, to) =>
    rootOf(leaves.slice(from, to))

test('a tree has the roots that the tests of Certificate Transparency know, at every size', () => {
  const tree = new GrowingTree()
  expect(tree.root()).toEqual(sha256(''))
  for (const [index, leaf] of LEAVES.entries()) {
    tree.add(leaf)
    expect([tree.size, tree.root().toString('hex')]).toEqual([index + 1, ROOTS[index]])
  }
})

test('whole subtrees can be added at once', () => {
  const leaves = Array.from({ length: 23 }, (_, number) => sha256(String(number)))
  const tree = new GrowingTree()
  for (const block of [0, 8]) tree.add(rootOf(leaves.slice(block, block + 8)), 3)
  for (const leaf of leaves.slice(16)) tree.add(leaf)
  expect(tree.root()).toEqual(rootOf(leaves))
})

test('proofs are those of the RFC', async () => {
  const hexOf = (proof: NodeHash[]) => proof.map((node) => node.toString('hex').slice(0, 8))
  const root = subtreesOf(LEAVES)
  expect(hexOf(await inclusionProof(0, 1, root))).toEqual([])
  expect(hexOf(await inclusionProof(5, 8, root))).toEqual(['bc1a0643', 'ca854ea1', 'd37ee418'])
  expect(hexOf(await inclusionProof(1, 5, root))).toEqual(['6e340b9c', '5f083f0a', 'bc1a0643'])
  expect(hexOf(await consistencyProof(1, 1, root))).toEqual([])
  expect(hexOf(await consistencyProof(4, 8, root))).toEqual(['6b47aaf2'])
  expect(hexOf(await consistencyProof(6, 8, root))).toEqual(['0ebc5d34', 'ca854ea1', 'd37ee418'])
})

test('a leaf is SHA-256 of a zero byte and canonical JSON', () => {
  const leaf = { position: 12, stream: 'media-"é"', revision: 3, hash: 'ab'.repeat(32) } as const
  const text = `\0{"hash":"${'ab'.repeat(32)}","position":12,"revision":3,"stream":"media-\\"é\\""}`
  expect(leafHash(leaf)).toEqual(sha256(text))
})
