import type { Answer, RequestOptions } from './client.ts'
import type { OperationId } from './operations.ts'
import { operation, type Input } from './requests.ts'

type Call = (id: OperationId, input: Input, options?: RequestOptions) => Promise<Answer<unknown>>
type Page = { readonly [field: string]: unknown } & {
  pagination: { page: number; total_pages: number; next?: string }
}

/**
 * Every entry of a list with pages. Where a page has `next`, each entry comes once, whatever is stored or deleted meanwhile;
 * other lists go by page numbers, which shift when an entry is added at the beginning.
 */
export async function* iteratePages<Entry>(
  call: Call,
  id: OperationId,
  input: Input = {},
  options?: RequestOptions,
): AsyncGenerator<Entry, void, undefined> {
  const { entries } = operation(id)
  for (let page: { page: number } | { after: string } = { page: 1 }; ;) {
    const data = (await call(id, { page_size: 100, ...input, ...page }, options)).data as Page
    yield* data[entries!] as Entry[]
    const { next, page: number, total_pages: last } = data.pagination
    if (next !== undefined) page = { after: next }
    else if ('page' in page && number < last) page = { page: number + 1 }
    else return
  }
}
