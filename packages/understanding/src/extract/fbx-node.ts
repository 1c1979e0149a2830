/** What a property of a node may be; raw bytes and what nobody asks for are null. */
export type FbxValue = number | bigint | string | boolean | FbxArray | null

/** Numbers stored in bulk, unpacked when they are asked for. */
export interface FbxArray {
  length: number
  /** @throws UnreadableFile `corrupted`, or `too-large` for what inflates beyond the budget */
  read(): ArrayLike<number>
}

export interface FbxNode {
  name: string
  values: FbxValue[]
  children: FbxNode[]
}

export const fbxChild = (node: FbxNode | undefined, name: string): FbxNode | undefined =>
  node?.children.find((child) => child.name === name)

const isArray = (value: FbxValue | undefined): value is FbxArray =>
  typeof value === 'object' && value !== null

/** A child's numbers, however they are stored: in bulk, in a list of their own (`a`), or one property each. */
export function fbxNumbers(node: FbxNode | undefined, name: string): ArrayLike<number> | null {
  const child = fbxChild(node, name)
  if (!child) return null
  const { values } = fbxChild(child, 'a') ?? child
  const [first] = values
  return isArray(first) ? first.read() : values.filter((value) => typeof value === 'number')
}

export const fbxText = (value: FbxValue | undefined): string => (typeof value === 'string' ? value : '')
