import type { Application } from './application.ts'
import { auditOperations } from './audit/operations.ts'
import { auditQueries } from './audit/queries.ts'
import { analyzeFile } from './commands/analyze.ts'
import { ask } from './commands/ask.ts'
import { Arrivals } from './commands/arrivals.ts'
import { Backlog } from './commands/backlog.ts'
import { cancelBatch } from './commands/cancel-batch.ts'
import { createMoveItems, deleteCollection } from './commands/collections.ts'
import { createBatch } from './commands/create-batch.ts'
import { deleteMedia, deleteMediaBatch } from './commands/delete-media.ts'
import { operatorCommands } from './commands/operator.ts'
import { uploadMedia } from './commands/upload-media.ts'
import { webhookCommands } from './commands/webhooks.ts'
import type { Dependencies } from './dependencies.ts'
import { embeddingOperations } from './embedding/migrate.ts'
import { embeddingStatus } from './embedding/status.ts'
import { SYSTEM } from './event-sourcing/executing.ts'
import { itemHistory } from './history/item-history.ts'
import { requestHistory } from './history/request-history.ts'
import { erasureOperations } from './erasing/audit.ts'
import { logTreeOperations } from './log-tree/operations.ts'
import { proveConsistency, proveEvents } from './log-tree/proofs.ts'
import { createOperations, logOperations, projectionOperations, scavengeOperations } from './operations.ts'
import { operatorOrigin } from './origin.ts'
import { createAuthenticate } from './queries/authenticate.ts'
import { listBatches, readBatch, readBatchResults } from './queries/batches.ts'
import { listCollections, readCollection } from './queries/collections.ts'
import { followEvents } from './queries/follow-events.ts'
import { findErasure } from './queries/erasure.ts'
import { createHealth } from './queries/health.ts'
import { listMedia, readMedia } from './queries/media.ts'
import { listMediaAsOf } from './queries/media-as-of.ts'
import { advancedSearch } from './queries/advanced-search.ts'
import { searchMedia } from './queries/search.ts'
import { similarMedia } from './queries/similar.ts'
import { readUsage } from './queries/usage.ts'
import { usageDiff } from './queries/usage-diff.ts'
import { Quota } from './quota.ts'
import { requireShown } from './read-your-writes.ts'
import { shareOperations } from './shared-operations.ts'

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
