import type { Call, RequestOptions } from './calls.ts'
import type { OperationId } from './operations.ts'
import type { Input } from './declared.ts'
import { operation } from './requests.ts'

type Page = { readonly [field: string]: unknown } & {
  pagination: { page: number; total_pages: number; next?: string }
}

/**
 * Every page of a list. Where a page has `next`, each entry comes once, whatever is stored or deleted meanwhile; other lists
 * go by page numbers, which shift when an entry is added at the beginning.
 */
export async function* pagesOf(
  call: Call,
  id: OperationId,
  input: Input = {},
  options?: RequestOptions,
): AsyncGenerator<Page, void, undefined> {
  for (let page: { page: number } | { after: string } = { page: 1 }; ;) {
    const data = (await call(id, { page_size: 100, ...input, ...page }, options)).data as Page
    yield data
    const { next, page: number, total_pages: last } = data.pagination
    if (next !== undefined) page = { after: next }
    else if ('page' in page && number < last) page = { page: number + 1 }
    else return
  }
}

/** Every entry of them. */
export async function* entriesOf<Entry>(
  ...given: Parameters<typeof pagesOf>
): AsyncGenerator<Entry, void, undefined> {
  const { entries } = operation(given[1])
  for await (const page of pagesOf(...given)) yield* page[entries!] as Entry[]
}
