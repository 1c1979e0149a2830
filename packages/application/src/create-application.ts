import type { Application } from './application.ts'
import { auditOperations } from './audit/operations.ts'
import { auditQueries } from './audit/queries.ts'
import { analyzeFile } from './ask/analyze.ts'
import { ask } from './ask/ask.ts'
import { Arrivals } from './ingest/arrivals.ts'
import { Backlog } from './batches/backlog.ts'
import { cancelBatch } from './batches/cancel-batch.ts'
import { createMoveItems, deleteCollection } from './library/change-collections.ts'
import { createBatch } from './batches/create-batch.ts'
import { deleteMedia, deleteMediaBatch } from './library/delete-media.ts'
import { operatorCommands } from './accounts/operator.ts'
import { uploadMedia } from './ingest/upload-media.ts'
import { webhookCommands } from './webhooks/webhooks.ts'
import type { Dependencies } from './dependencies.ts'
import { embeddingOperations } from './embedding/migrate.ts'
import { embeddingStatus } from './embedding/status.ts'
import { SYSTEM } from './event-sourcing/executing.ts'
import { itemHistory } from './history/item-history.ts'
import { requestHistory } from './history/request-history.ts'
import { erasureOperations } from './erasure/audit.ts'
import { logTreeOperations } from './log-tree/operations.ts'
import { proveConsistency, proveEvents } from './log-tree/proofs.ts'
import {
  createOperations,
  logOperations,
  projectionOperations,
  scavengeOperations,
} from './operations/operations.ts'
import { operatorOrigin } from './core/origin.ts'
import { createAuthenticate } from './accounts/authenticate.ts'
import { listBatches, readBatch, readBatchResults } from './batches/read-batches.ts'
import { listCollections, readCollection } from './library/read-collections.ts'
import { followEvents } from './feed/follow-events.ts'
import { findErasure } from './erasure/find-erasure.ts'
import { createHealth } from './status/health.ts'
import { listMedia, readMedia } from './library/read-media.ts'
import { listMediaAsOf } from './library/media-as-of.ts'
import { advancedSearch } from './search/advanced-search.ts'
import { searchMedia } from './search/search.ts'
import { similarMedia } from './search/similar.ts'
import { readUsage } from './billing/usage.ts'
import { usageDiff } from './billing/usage-diff.ts'
import { Quota } from './billing/quota.ts'
import { requireShown } from './core/read-your-writes.ts'
import { shareOperations } from './operations/shared-operations.ts'

/** Every command and query over the same dependencies: what the edges call. */
export function createApplication(dependencies: Dependencies): Application {
  const { projections, logVerifier, logScavenger, logTree, understanding, clock, coordination } = dependencies
  const backlog = new Backlog(dependencies)
  const arrivals = new Arrivals(dependencies)
  const quota = new Quota(dependencies)
  const audit = auditQueries(dependencies)
  return {
    authenticate: createAuthenticate(dependencies),
    largestFile: understanding.largestFile,
    identify: (filename, head) => understanding.identify(filename, head),
    receiveFile: (context, use, idempotencyKey) => arrivals.begin(context, use, idempotencyKey),
    uploadMedia: (context, command, signal) => uploadMedia(dependencies, quota, context, command, signal),
    receiveBatch: ({ principal, requestId }) => backlog.receive(principal, requestId),
    createBatch: (context, command) => createBatch(dependencies, { backlog, quota }, context, command),
    listBatches: (context, query) => listBatches(dependencies, context, query),
    readBatch: (context, id) => readBatch(dependencies, context, id),
    readBatchResults: (context, id) => readBatchResults(dependencies, context, id),
    cancelBatch: (context, id) => cancelBatch(dependencies, context, id),
    listMedia: (context, query) => listMedia(dependencies, context, query),
    listMediaAsOf: (context, query) => listMediaAsOf(dependencies, context, query),
    readMedia: (context, query) => readMedia(dependencies, context, query),
    deleteMedia: (context, command) => deleteMedia(dependencies, context, command),
    deleteMediaBatch: (context, command) => deleteMediaBatch(dependencies, context, command),
    listCollections: (context) => listCollections(dependencies, context),
    readCollection: (context, collection) => readCollection(dependencies, context, collection),
    deleteCollection: (context, command) => deleteCollection(dependencies, context, command),
    erasure: ({ principal }, id) => findErasure(dependencies, principal.accountId, id),
    moveItems: createMoveItems(dependencies),
    ask: (context, command, listener) => ask(dependencies, context, command, listener),
    analyzeFile: (context, command) => analyzeFile(dependencies, context, command),
    search: (context, query) => searchMedia(dependencies, context, query),
    advancedSearch: (context, query) => advancedSearch(dependencies, context, query),
    similar: (context, query) => similarMedia(dependencies, context, query),
    keys: ({ principal }) => dependencies.accounts.keys(principal.accountId),
    usage: (context, query) => readUsage(dependencies, context, query),
    usageDiff: (context, query) => usageDiff(dependencies, context, query),
    ledger: ({ principal }, query) => audit.ledger(principal.accountId, query),
    statement: ({ principal }, month) => audit.statement(principal.accountId, month),
    proveLedger: ({ principal }, since) => audit.proveLedger(principal.accountId, since),
    proveEvents: ({ principal }, subject) => proveEvents(dependencies, SYSTEM, subject, principal.accountId),
    webhooks: webhookCommands(dependencies),
    followEvents: (context, query, signal) => followEvents(dependencies, context, query, signal),
    itemHistory: (context, query) => itemHistory(dependencies, context, query),
    requestHistory: (context, id) => requestHistory(dependencies, context, id),
    health: createHealth(dependencies),
    position: () => projections.position(),
    reached: (position) => requireShown(dependencies, position),
    operator: {
      ...operatorCommands(dependencies),
      ...audit,
      erasure: (id) => findErasure(dependencies, null, id),
      embeddings: () => embeddingStatus(dependencies),
      checkpoint: (context) => logTree.checkpoint(operatorOrigin(context)),
      checkpointKeys: () => logTree.keys(),
      proveEvents: (context, subject) => proveEvents(dependencies, operatorOrigin(context), subject),
      proveConsistency: (from, to) => proveConsistency(logTree.leaves, from, to),
      ...createOperations(
        {
          ...projectionOperations(projections),
          ...logOperations(logVerifier),
          ...scavengeOperations(logScavenger),
          ...embeddingOperations(dependencies),
          ...auditOperations(dependencies),
          ...logTreeOperations(dependencies),
          ...erasureOperations(dependencies),
        },
        clock,
        coordination && shareOperations(coordination, { clock }),
      ),
    },
  }
}
