export interface Received {
  method: string
  path: string
  query: URLSearchParams
  headers: NodeJS.Dict<string | string[]>
  /** A parsed JSON body; of a form its fields. */
  body: { [name: string]: unknown }
  /** Of a form: its first file, and all of them. */
  file?: { filename: string; bytes: Buffer }
  files?: { filename: string; bytes: Buffer }[]
}

export interface Reply {
  status: number
  /** JSON, a list of server-sent events, or a text as it is. */
  body: object | string
  headers?: { [name: string]: string }
}

export const KEY = 'mlk_testtest_secret'
export const TOKEN = 'mlo_operator_token'

export const ok = (data: object, more: object = {}): Reply => ({
  status: 200,
  body: { success: true, message: 'Done', data, metadata: {}, ...more },
})

/** Shape A. */
export const refused = (
  status: number,
  code: string,
  message: string,
  details: object = {},
  headers?: Reply['headers'],
): Reply => ({
  status,
  body: { success: false, message, error: { code, details } },
  headers,
})

/** Shape B. */
export const refusedB = (status: number, code: string, message: string): Reply => ({
  status,
  body: { success: false, message, code, status_code: status, suggestion: 'Ask for what there is.' },
})

export interface Item {
  id: string
  filename: string
  size: number
  collection: string
  checksum: string
}

/** The state of the fake service. */
export interface State {
  items: Map<string, Item>
  account: { account_id: string; name: string; tier: string; balance: number; payment_status: string }
  /** Amounts by reference. */
  credits: Map<string, number>
  /** Batches by their ids: names of their files, and how often they were looked at. */
  batches: Map<string, { files: string[]; name: string | undefined; looks: number; cancelled: boolean }>
}

/** Method, path, and what answers; the path's first group is handed on. */
export type Routes = [string, RegExp, (request: Received, id: string) => Reply][]

export const TIME = '2026-11-20T13:00:00.000Z'
export const LATER = '2026-11-20T13:00:02.500Z'
