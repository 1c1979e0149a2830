import type { Answer, RequestOptions } from './client.ts'
import type { OperationId } from './operations.ts'
import { operation, type Input } from './requests.ts'

type Call = (id: OperationId, input: Input, options?: RequestOptions) => Promise<Answer<unknown>>
type Page = { readonly [field: string]: unknown } & { pagination: { page: number; total_pages: number } }

/** Every entry of a list with pages, each once: what is added at its beginning meanwhile moves the rest back. */
export async function* iteratePages<Entry>(
  call: Call,
  id: OperationId,
  input: Input = {},
  options?: RequestOptions,
): AsyncGenerator<Entry, void, undefined> {
  const { entries } = operation(id)
  for (let page = 1; ; page++) {
    const data = (await call(id, { page_size: 100, ...input, page }, options)).data as Page
    yield* data[entries!] as Entry[]
    if (page >= data.pagination.total_pages) return
  }
}
