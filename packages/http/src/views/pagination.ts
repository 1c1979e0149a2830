/** A page of a list of `total`: what all listings say of it. */
export function paginationOf({ page, pageSize }: { page: number; pageSize: number }, total: number) {
  return { page, page_size: pageSize, total_items: total, total_pages: Math.ceil(total / pageSize) }
}

/** The same where the contract also has `has_next`. */
export function paginationWithNext(window: { page: number; pageSize: number }, total: number) {
  const pagination = paginationOf(window, total)
  return { ...pagination, has_next: window.page < pagination.total_pages }
}
