/** What the text of a signed note begins with that is a receipt of an erasure; the log's name follows, then its JSON. */
export const RECEIPT_HEADER = 'medialog erasure receipt 1'
