import type { MediaType } from '@medialog/client'

/** Every text of the console in one language. Another language is another module of this shape. */
export const en = {
  name: 'Medialog',
  copied: 'Copied',
  copy: 'Copy',
  cancel: 'Cancel',
  close: 'Close',
  skip: 'Skip to the content',
  nav: {
    label: 'Views',
    library: 'Library',
    search: 'Search',
    ask: 'Ask',
    billing: 'Billing',
    live: 'Live',
    operator: 'Operator',
  },
  account: {
    label: 'Account',
    balance: 'Balance',
    signOut: 'Sign out',
    theme: 'Appearance',
    themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
    reference: 'API reference',
  },
  signIn: {
    title: 'A media memory that can be audited',
    lead: 'Sign in with an API key to see what its account stores, searches and pays. The operator signs in with the operator token.',
    key: 'API key',
    keyHint: 'The service printed one at its first start. It begins with mlk_.',
    token: 'Operator token',
    tokenHint: 'In the file secrets/operator-token of the data folder.',
    asOperator: 'Sign in as the operator',
    asAccount: 'Sign in with an API key',
    remember: 'Stay signed in on this device',
    rememberHint: 'Otherwise the key is forgotten with this tab.',
    submit: 'Sign in',
    checking: 'Checking …',
    missing: 'Enter a key.',
    ended: 'The key is no longer valid. It may have been revoked. Sign in with another one.',
    wrong: 'The service does not know this key.',
    wrongToken: 'The service does not know this token.',
  },
  connection: {
    lost: 'The service does not answer. Trying again …',
    again: 'Try now',
  },
  states: {
    loading: 'Loading',
    again: 'Try again',
    request: 'request',
    notFound: 'There is no such page',
    notFoundText: 'The address may be mistyped, or what was there was deleted.',
    toLibrary: 'To the library',
    refusal(code: string): { title: string; advice?: string } {
      switch (code.toUpperCase()) {
        case 'INSUFFICIENT_PERMISSIONS':
          return {
            title: 'This key may not do that',
            advice: 'Ask the operator for a key with the capability that is named.',
          }
        case 'RESOURCE_NOT_FOUND':
        case 'NOT_FOUND':
        case 'COLLECTION_NOT_FOUND':
        case 'INVALID_PARAMETER':
          return {
            title: 'Not found',
            advice: 'It may have been deleted, or it belongs to another account.',
          }
        case 'INSUFFICIENT_FUNDS':
          return { title: 'The balance is too low', advice: 'Ask the operator for credit.' }
        case 'RATE_LIMIT_EXCEEDED':
          return { title: 'Too many requests', advice: 'The limit starts again within a minute.' }
        case 'UNREACHABLE':
          return { title: 'The service does not answer', advice: 'Check that it runs, then try again.' }
        case 'SERVICE_UNAVAILABLE':
          return {
            title: 'A part of the service is unavailable',
            advice: 'It recovers by itself. Try again in a moment.',
          }
        default:
          return { title: 'That did not work' }
      }
    },
  },
  types: {
    document: 'Document',
    image: 'Image',
    video: 'Video',
    audio: 'Audio',
    model: '3D model',
  } satisfies Record<MediaType, string>,
  library: {
    title: 'Library',
    count: (items: string, count: number) => (count === 1 ? `${items} item` : `${items} items`),
    allTypes: 'All types',
    type: 'Type',
    allCollections: 'All collections',
    collection: 'Collection',
    collections: 'Collections',
    view: 'View',
    list: 'List',
    grid: 'Grid',
    upload: 'Upload files',
    empty: 'Nothing is stored yet',
    emptyText:
      'Drop files or folders anywhere on this page. Their text, facts and vectors are kept; the files themselves are not.',
    emptyFiltered: 'Nothing matches these filters',
    clear: 'Clear filters',
    noFile: 'Files are read once and not kept. What you see is what was understood of them.',
    name: 'Name',
    stored: 'Stored',
    size: 'Size',
    items: 'Items',
  },
  item: {
    title: 'Item',
    back: 'Library',
    parts: 'Parts of the item',
    overview: 'Overview',
    text: 'Text',
    life: 'Life',
    summary: 'Summary',
    keywords: 'Keywords',
    topics: 'Topics',
    entities: 'Names in it',
    kinds: {
      people: 'People',
      organizations: 'Organizations',
      locations: 'Places',
      concepts: 'Concepts',
    },
    facts: 'Facts',
    sections: 'Sections',
    colors: 'Colours',
    warnings: 'Left out, or read with difficulty',
    vectors: 'Vectors',
    passages: 'Passages',
    vectorsOf: (count: string, dimensions: string) => `${count} of ${dimensions} dimensions`,
    noText: 'No text was found in this file.',
    transcript: 'Transcript',
    keyFrames: 'Key frames',
    frameAt: (time: string) => `Frame at ${time}`,
    format: 'Format',
    pages: 'Pages',
    words: 'Words',
    dimensions: 'Dimensions',
    duration: 'Duration',
    frameRate: 'Frame rate',
    sampleRate: 'Sample rate',
    channels: 'Channels',
    vertices: 'Vertices',
    checksum: 'SHA-256',
    enrichedBy: 'Understood by',
    embeddedBy: 'Vectors by',
    truncated: 'The text was longer than what is kept.',
  },
  life: {
    title: 'Life',
    more: 'Show later events',
    lead: 'Every event of this item in the log, with what it cost.',
    cost: 'Cost so far',
    erased: 'What came before the last deletion is erased from the log.',
    state: { stored: 'Stored', deleted: 'Deleted', absent: 'Not stored' },
    by: (actor: string) =>
      actor === 'operator' ? 'by the operator' : actor === 'system' ? 'by the service' : `by key ${actor}`,
    hash: 'Hash of the event in its stream',
    collection: (name: string) => `Collection ${name}`,
    took: (seconds: string) => `understood in ${seconds} s`,
    refundOf: (id: string) => `pays back charge ${id}`,
    event(name: string): string {
      return EVENTS[name] ?? name
    },
  },
  move: {
    label: 'Collection',
    action: 'Move',
    title: 'Move to a collection',
    name: 'Collection',
    hint: 'A name that is new makes a new collection.',
    invalid: 'A collection’s name has letters, digits, “_”, “.” and “-”, at most 64 of them.',
  },
  remove: {
    action: 'Delete',
    title: 'Delete this item?',
    text: 'Its text, its vectors and its name are erased from every file of the service within seconds. That it was deleted, and what it cost, stays in the log. This cannot be undone.',
    confirm: 'Delete and erase',
    working: 'Erasing …',
    done: 'Deleted and erased',
    pending: 'Deleted. The erasure is still under way.',
    receipt: 'The receipt names what was erased from where. It is signed, and can be proven against the log.',
    noNote: 'Processes share this log: the receipt carries no signature.',
    erasedAt: 'Erased',
    digest: 'Digest',
    stores: 'Erased from',
    download: 'Download the receipt',
    toLibrary: 'Back to the library',
  },
} as const

const EVENTS: { readonly [name: string]: string } = {
  IngestClaimed: 'Upload accepted',
  IngestReleased: 'Upload given up',
  BalanceCharged: 'Charged',
  BalanceRefunded: 'Refunded',
  BalanceCredited: 'Credited',
  ChargeSettled: 'Charge settled',
  MediaIngested: 'Understood and stored',
  MediaOverwritten: 'Understood again, replaced',
  MediaReembedded: 'Vectors made by another model',
  MediaDeleted: 'Deleted',
  ItemsMoved: 'Moved',
  BatchCreated: 'Batch created',
  BatchStarted: 'Batch started',
  BatchCompleted: 'Batch completed',
  BatchFailed: 'Batch failed',
  BatchCancelled: 'Batch cancelled',
  BatchSubmitted: 'Batch sent',
  JobSucceeded: 'File of a batch done',
  JobSkipped: 'File of a batch was known',
  JobFailed: 'File of a batch failed',
  CollectionDeleted: 'Collection deleted',
  RequestStarted: 'Request began',
  RequestCompleted: 'Request answered',
  RequestAbandoned: 'Request given up',
  BooksClosed: 'Books closed',
  LedgerClosed: 'Ledger closed',
}
