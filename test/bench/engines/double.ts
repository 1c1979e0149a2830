import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'

/** The double of EventStoreDB in a process of its own, until that is ended. */
console.log((await startEventStoreDbDouble()).url)
