import type { OperationId } from '@medialog/contract/http'

/**
 * The rows of docs/specification (service.md and decisions.md), in their words. Each has a test that shows it, or a reason
 * why it cannot occur: specification.test.ts fails where a row has neither, and where a test has no row.
 */

const KEYED = '401 INVALID_API_KEY, 403 INSUFFICIENT_PERMISSIONS, 429 RATE_LIMIT_EXCEEDED'
const KEYED_LOWER = KEYED.toLowerCase()
/** Of endpoints that take X-Min-Position. */
const LOST = '409 POSITION_LOST'
const LOST_LOWER = LOST.toLowerCase()
const FAILING = '500 PROCESSING_ERROR, 503 SERVICE_UNAVAILABLE'
const FAILING_LOWER = FAILING.toLowerCase()
const PAID =
  '403 ACCOUNT_SUSPENDED, 409 REQUEST_IN_PROGRESS, 410 GONE, 422 IDEMPOTENCY_KEY_REUSED, 400 VALIDATION_ERROR'
const UNREADABLE =
  '400 MISSING_FILE, 400 UNSUPPORTED_FILE_TYPE, 400 FILE_SIZE_EXCEEDED, 400 CORRUPTED_FILE, 400 ENCRYPTED_FILE, 400 INVALID_PARAMETER'

/** Statuses and codes of every endpoint; 200 has none. */
export const ANSWERS = {
  uploadMedia: `200, ${UNREADABLE}, ${KEYED}, 403 INSUFFICIENT_FUNDS, 403 QUOTA_EXCEEDED, 409 DUPLICATE_FILE, ${withoutInvalid(PAID)}, ${FAILING}`,
  listMedia: `200, 400 INVALID_PARAMETER, ${KEYED}, ${LOST}, ${FAILING}`,
  readMedia: `200, 400 INVALID_PARAMETER, ${KEYED}, 404 RESOURCE_NOT_FOUND, ${LOST}, ${FAILING}`,
  deleteMedia: `200, 400 INVALID_PARAMETER, ${KEYED}, 404 RESOURCE_NOT_FOUND, ${FAILING}`,
  deleteMediaBatch: `200, 400 MISSING_MEDIA_IDS, 400 INVALID_MEDIA_IDS, 400 BATCH_TOO_LARGE, ${KEYED}, ${FAILING}`,
  listCollections: `200, ${KEYED}, ${LOST}, ${FAILING}`,
  readCollection: `200, 400 VALIDATION_ERROR, ${KEYED}, 404 COLLECTION_NOT_FOUND, ${LOST}, ${FAILING}`,
  deleteCollection: `200, 400 VALIDATION_ERROR, 400 CANNOT_DELETE_DEFAULT, ${KEYED}, 404 COLLECTION_NOT_FOUND, ${FAILING}`,
  moveItems: `200, 400 VALIDATION_ERROR, 400 BATCH_SIZE_EXCEEDED, ${KEYED}, 404 ITEMS_NOT_FOUND, 500 STORAGE_ERROR, 503 SERVICE_UNAVAILABLE`,
  createBatch: `200, 400 invalid_media, ${KEYED_LOWER}, 403 insufficient_funds, 403 quota_exceeded, 404 file_not_found, ${PAID.toLowerCase()}, ${FAILING_LOWER}`,
  listBatches: `200, 400 validation_error, ${KEYED_LOWER}, ${LOST_LOWER}, ${FAILING_LOWER}`,
  readBatch: `200, 400 validation_error, ${KEYED_LOWER}, 404 not_found, ${LOST_LOWER}, ${FAILING_LOWER}`,
  readBatchResults: `200, 400 validation_error, ${KEYED_LOWER}, 404 not_found, ${LOST_LOWER}, ${FAILING_LOWER}`,
  cancelBatch: `200, 400 validation_error, ${KEYED_LOWER}, 404 not_found, ${FAILING_LOWER}`,
  ask: `200, 400 MISSING_QUERY, 400 INPUT_TOO_LARGE, ${KEYED}, 402 INSUFFICIENT_FUNDS, 404 RESOURCE_NOT_FOUND, ${PAID}, ${LOST}, ${FAILING}`,
  analyzeFile: `200, 400 MISSING_QUERY, ${UNREADABLE}, ${KEYED}, 402 INSUFFICIENT_FUNDS, ${withoutInvalid(PAID)}, ${LOST}, ${FAILING}`,
  search: `200, ${KEYED}, 402 INSUFFICIENT_FUNDS, 404 COLLECTION_NOT_FOUND, ${PAID}, ${LOST}, ${FAILING}`,
  findSimilar: `200, ${KEYED}, 402 INSUFFICIENT_FUNDS, 404 RESOURCE_NOT_FOUND, 404 COLLECTION_NOT_FOUND, ${PAID}, ${LOST}, ${FAILING}`,
  readStatus: `200, ${KEYED_LOWER}, 409 position_lost, 500 internal_error, 503 service_unavailable`,
  readUsage: `200, 400 validation_error, ${KEYED_LOWER}, 404 resource_not_found, ${LOST_LOWER}, ${FAILING_LOWER}`,
  readLedger: `200, 400 VALIDATION_ERROR, ${KEYED}, ${LOST}, ${FAILING}`,
  readStatement: `200, 400 VALIDATION_ERROR, ${KEYED}, 404 ACCOUNT_NOT_FOUND, ${LOST}, ${FAILING}`,
  readMediaHistory: `200, 400 INVALID_PARAMETER, ${KEYED}, 404 RESOURCE_NOT_FOUND, ${LOST}, ${FAILING}`,
  readRequest: `200, 400 VALIDATION_ERROR, ${KEYED}, 404 RESOURCE_NOT_FOUND, ${LOST}, ${FAILING}`,
  readUsageDiff: `200, 400 validation_error, ${KEYED_LOWER}, 404 resource_not_found, ${LOST_LOWER}, ${FAILING_LOWER}`,
  followEvents: `200, 400 VALIDATION_ERROR, ${KEYED}, ${LOST}, ${FAILING}`,
  readAccountLedger: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND',
  readAccountStatement: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND',
  openAccount: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN',
  listAccounts: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN',
  readAccount: '200, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND',
  creditAccount: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND',
  changeTier: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND',
  changeState: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND',
  issueKey: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND',
  listKeys: '200, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND',
  revokeKey: '200, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND, 404 KEY_NOT_FOUND',
  rotateKey:
    '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN, 404 ACCOUNT_NOT_FOUND, 404 KEY_NOT_FOUND',
  startOperation: '200, 400 VALIDATION_ERROR, 401 INVALID_OPERATOR_TOKEN',
  readOperation: '200, 401 INVALID_OPERATOR_TOKEN, 404 RESOURCE_NOT_FOUND',
  healthz: '200',
  readyz: '200, 503 SERVICE_UNAVAILABLE',
  metrics: '200, 401 INVALID_OPERATOR_TOKEN',
  openapi: '200',
  asyncapi: '200',
  docs: '200',
} as const satisfies Partial<Record<OperationId, string>>

/** For endpoints whose refusal by shape is INVALID_PARAMETER. */
function withoutInvalid(answers: string): string {
  return answers.replace(', 400 VALIDATION_ERROR', '')
}

const SUMMARY = `
  summary string
  description string
  semantic_markers.categories strings
  semantic_markers.emotions strings
  semantic_markers.topics strings
  entities.people strings
  entities.organizations strings
  entities.locations strings
  entities.concepts strings
  quality_metrics.clarity ratio
  quality_metrics.completeness ratio
  quality_metrics.relevance ratio
  quality_metrics.technical ratio`

const TYPE_FIELDS = `
  page_count integer
  word_count integer
  dimensions object
  color_mode string
  duration number
  resolution string
  frame_rate number
  sample_rate number
  channels integer
  vertex_count integer
  material_count integer`

const METADATA = `${below('search', SUMMARY)}
  modality.formatting.original_format string
  modality.formatting.structure_type string
  modality.formatting.was_truncated boolean
  modality.structure.has_figures boolean
  modality.structure.has_tables boolean
  modality.structure.page_count integer
  modality.structure.sections[].title string
  modality.structure.sections[].level integer
  modality.structure.sections[].content_type string
  modality.visual_attributes object`

const ITEM = `
  id string
  media_id string
  media_type string
  collection string
  status.state string
  status.processing_info.completed_at timestamp
  status.processing_info.duration_ms integer
  storage.created_at timestamp
  file_info.filename string
  file_info.size_bytes integer
  file_info.checksum string
  vectors.combined numbers`

const PAGINATION = `
  page integer
  page_size integer
  total_items integer
  total_pages integer`

const BATCH = `
  batch_id string
  batch_name string
  status string
  collection string
  created_at timestamp
  started_at timestamp|null
  completed_at timestamp|null
  total_items integer
  progress.successful integer
  progress.skipped integer
  progress.failed integer
  progress.pending integer
  progress.processing integer
  progress.percent number
  cost.charged number
  cost.refunded number
  cost.net number
  estimated_completion timestamp|null`

const ACCOUNT = `
  account_id string
  name string
  tier string
  balance number
  payment_status string
  created_at timestamp`

/**
 * Every field of a success by its path and type: `[]` is an entry of a list, `{}` a value of a map. `success` and
 * `message` are in all of them.
 */
export const FIELDS: Partial<Record<OperationId, string>> = {
  uploadMedia: `${below(
    'data',
    `
  media_id string
  media_type string
  status string
  processing_info.started_at zoneless
  processing_info.completed_at zoneless
  processing_info.job_id string
  content_summary.summary string
  content_summary.description string
  content_summary.topics strings
  content_summary.keywords strings
  content_summary.categories strings
  content_summary.emotions strings
  content_summary.entities.people strings
  content_summary.entities.organizations strings
  content_summary.entities.locations strings
  content_summary.entities.objects strings
  content_summary.entities.concepts strings
  content_summary.quality.clarity ratio
  content_summary.quality.completeness ratio
  content_summary.quality.relevance ratio
  content_summary.quality.technical ratio
  file_details.filename string
  file_details.size_bytes integer
  file_details.checksum string
  file_details.media_type string${below('file_details', TYPE_FIELDS)}
  storage_info.collection string
  storage_info.vectors_stored integer
  storage_info.stored_at timestamp
  balance_info.previous_balance number
  balance_info.cost number
  balance_info.new_balance number
  vectors.combined numbers`,
  )}
  metadata.cost number
  metadata.collection string
  metadata.request_id string
  metadata.processing_time_ms integer
  timestamp timestamp`,
  listMedia: `${below('data.items[]', `${ITEM}\n  file_info.page_count integer${below('metadata', METADATA)}`)}${below('data.pagination', PAGINATION)}
  data.pagination.has_next boolean
  data.filters.applied object
  data.filters.total_matching integer
  timestamp timestamp`,
  readMedia: `${below('data', `${ITEM}\n  file_info.processed_at timestamp${below('file_info', TYPE_FIELDS)}${below('metadata', METADATA)}`)}
  data.content.text string
  data.content.chunks strings
  data.content.summary string
  data.vectors.dimensions integer
  data.vectors.model string
  data.vectors.chunks[] numbers
  metadata.retrieval_time timestamp
  metadata.api_version string
  metadata.included_vectors boolean
  metadata.included_chunks boolean
  timestamp timestamp`,
  deleteMedia: `
  data.media_id string
  data.deletion_status string
  data.successful boolean
  metadata.deletion_time timestamp
  metadata.resource_type string
  metadata.processing_time_ms integer
  timestamp timestamp`,
  deleteMediaBatch: `
  data.deleted.count integer
  data.deleted.media_ids strings
  data.deleted.hd_vectors integer
  data.deleted.ld_vectors integer
  data.failed.count integer
  data.failed.media_ids strings
  data.failed.reasons{} string
  metadata.operation_id string
  metadata.timestamp timestamp
  metadata.processing_time_ms integer
  metadata.reason string`,
  listCollections: `
  data.collections strings
  data.collection_details{}.item_count integer
  data.collection_details{}.created_at timestamp
  data.total_collections integer
  metadata.api_version string`,
  readCollection: `
  data.collection_id string
  data.stats.item_count integer
  data.stats.first_item_date timestamp
  data.stats.last_item_date timestamp
  data.stats.media_type_distribution{} integer
  metadata.api_version string`,
  deleteCollection: `
  data.collection_id string
  data.deleted_items integer
  data.storage_info.deleted_vectors.hd integer
  data.storage_info.deleted_vectors.ld integer`,
  moveItems: `
  data.collection_id string
  data.summary.total integer
  data.summary.succeeded integer
  data.summary.failed integer
  data.summary.already_in_collection integer
  data.summary.moved integer
  data.items_by_type{} integer
  metadata.request_id string
  metadata.operation string
  metadata.collection_id string
  metadata.item_count integer`,
  createBatch: `
  data.batch_id string
  data.status string
  data.total_items integer
  data.created_at timestamp
  data.estimated_completion_seconds integer
  data.estimated_completion timestamp
  data.collection string
  data.cost_estimate.total number
  data.cost_estimate.breakdown.processing.document number
  data.cost_estimate.breakdown.processing.image number
  data.cost_estimate.breakdown.processing.video number
  data.cost_estimate.breakdown.processing.audio number
  data.cost_estimate.breakdown.processing.model number
  data.cost_estimate.breakdown.storage number
  data.settings.force_overwrite boolean
  data.settings.collection_id string
  data.settings.media_count integer
  metadata.force_overwrite boolean
  metadata.media_types{} integer
  metadata.collection_id string`,
  readBatch: below('data', BATCH),
  listBatches: `${below('data.batches[]', BATCH)}${below('data.pagination', PAGINATION)}`,
  readBatchResults: `
  data.batch_summary.batch_id string
  data.batch_summary.batch_name string
  data.batch_summary.collection string
  data.batch_summary.status string
  data.batch_summary.timeline.created_at timestamp
  data.batch_summary.timeline.started_at timestamp
  data.batch_summary.timeline.completed_at timestamp
  data.batch_summary.timeline.total_duration_seconds number
  data.batch_summary.completion.successful integer
  data.batch_summary.completion.failed integer
  data.batch_summary.completion.total_items integer
  data.batch_summary.completion.completion_rate number
  data.job_results[].job_id string
  data.job_results[].media_id string|null
  data.job_results[].filename string
  data.job_results[].media_type string
  data.job_results[].status string
  data.job_results[].file_info.size_bytes integer
  data.job_results[].file_info.size_mb number
  data.job_results[].processing_info.created_at timestamp
  data.job_results[].processing_info.completed_at timestamp
  data.job_results[].error.message string
  data.job_results[].error.code string
  data.job_results[].error.details object
  data.statistics.media_distribution.by_type{} integer
  data.statistics.media_distribution.total_created_media_items integer
  data.statistics.media_distribution.media_ids_by_type{} strings
  data.statistics.completion.successful integer
  data.statistics.completion.failed integer
  data.statistics.completion.total integer
  data.statistics.completion.success_rate number
  data.statistics.resources.total_files_size_bytes integer
  data.statistics.resources.total_files_size_mb number
  data.statistics.error_summary[].error_type string
  data.statistics.error_summary[].count integer
  data.statistics.error_summary[].affected_files strings
  data.statistics.error_summary[].resolution string${below('data.pagination', PAGINATION)}
  metadata.request_id string
  metadata.related_endpoints{} string`,
  cancelBatch: `
  data.batch_id string
  data.previous_state string
  data.current_state string
  data.timestamp timestamp`,
  ask: `
  data.response string
  data.sources[].media_id string
  data.sources[].chunk integer
  data.sources[].text string
  data.sources[].revision integer
  data.billing.total_cost number
  data.billing.base_fee number
  data.billing.token_charges number
  data.billing.usage.context_tokens integer
  data.billing.usage.response_tokens integer
  data.billing.usage.total_tokens integer
  data.billing.usage.processing_time_ms integer
  data.billing.pricing_tier string
  data.request.query string
  data.request.temperature number
  data.request.max_tokens integer
  data.request.disclaimer string
  data.media_context.media_id string
  data.media_context.media_type string
  data.media_context.collection string
  data.media_context.created_at timestamp
  metadata.request_id string
  metadata.model string
  metadata.api_version string`,
  analyzeFile: `
  data.media_info.filename string
  data.media_info.format string
  data.media_info.media_type string
  data.media_info.processed_at timestamp
  data.media_info.size integer
  data.processing_info.api_version string
  data.processing_info.context_id string
  data.processing_info.model string
  data.processing_info.processing_time_ms integer
  data.processing_info.status string
  data.processing_info.cost number
  data.processing_info.balance number
  data.query_info.query string
  data.query_info.response_format string
  data.query_info.system_prompt string|null${below('data', analysis())}${below('data.response.content', analysis())}
  data.response.content string|object
  data.response.format string
  data.response.generated_at timestamp
  metadata.request_id string
  metadata.processing_time_ms integer
  metadata.summary string`,
  search: `
  data.results[].media_id string
  data.results[].media_type string
  data.results[].score ratio
  data.results[].relevance_explanation string
  data.results[].collection string
  data.results[].passage.text string
  data.results[].passage.chunk integer
  data.results[].metadata.file_info.filename string${below('data.results[].metadata.search_metadata', SUMMARY)}
  data.results[].context_depth integer
  data.results[].expansion_path[] object
  data.results[].cross_modal_connections[].target_id string
  data.results[].cross_modal_connections[].relation_type string
  data.results[].cross_modal_connections[].strength number
  data.results[].cross_modal_connections[].source_modality string
  data.results[].cross_modal_connections[].target_modality string
  data.results[].cross_modal_connections[].symbol string
  data.results[].cross_modal_connections[].relationship_type string
  data.meta.query string
  data.meta.stats.total_results integer
  data.meta.stats.query_time_ms integer
  data.meta.stats.time_ms integer
  data.meta.collections.searched strings
  data.meta.collections.result_distribution{} integer
  data.meta.cost.amount number
  data.meta.cost.depth_reached integer
  data.cost number`,
  findSimilar: `
  data.meta.reference_item object
  data.meta.stats.total_results integer
  data.meta.collections.result_distribution{} integer
  data.results[].media_id string
  data.results[].score ratio
  data.results[].similarity_percentage string
  data.results[].relevance_explanation string
  data.results[].metadata.file_info.filename string
  data.results[].metadata.media_type string
  data.results[].metadata.search_metadata.summary string
  data.results[].metadata.modality_metadata.visual.scene_type string
  data.results[].metadata.modality_metadata.visual.visual_elements strings
  data.relationships.clusters.clusters{} strings
  data.relationships.clusters.metadata{}.modality string
  data.relationships.clusters.metadata{}.avg_score number
  data.relationships.clusters.metadata{}.member_count integer`,
  readStatus: `
  data.status string
  data.version string
  data.timestamp timestamp
  data.components.api string
  data.components.storage string
  data.components.search string
  data.account.tier string
  data.account.capabilities strings
  data.account.rate_limits.remaining integer
  data.account.rate_limits.reset_time timestamp
  data.account.rate_limits.limit integer
  data.performance.response_time_ms integer
  data.notice.type string
  data.notice.message string
  metadata.environment string
  metadata.datacenter string
  metadata.sandbox string`,
  readUsage: `
  data.account_info.balance number
  data.account_info.tier string
  data.account_info.last_billing_date timestamp
  data.account_info.payment_status string
  data.account_info.user_id string
  data.billing_summary.current_balance number
  data.billing_summary.usage_costs{} number
  data.billing_summary.pricing.DOCUMENT_PROCESSING number
  data.billing_summary.pricing.BASIC_SEARCH number
  data.billing_summary.pricing.ADVANCED_SEARCH number
  data.billing_summary.pricing.VECTOR_PROCESSING number
  data.billing_summary.pricing.RAG_QUERY number
  data.billing_summary.pricing.MEDIA_ANALYSIS number
  data.billing_summary.pricing.LLM_QUERY_ number
  data.billing_summary.pricing.SIMILARITY_SEARCH number
  data.storage_usage.total.vectors integer
  data.storage_usage.total.size_gb number
  data.storage_usage.total.quota_limit integer
  data.storage_usage.total.quota_used_percent number
  data.detailed_metrics.usage_trends{}{} number
  data.detailed_metrics.recent_transactions[].timestamp timestamp
  data.detailed_metrics.recent_transactions[].type string
  data.detailed_metrics.recent_transactions[].amount number
  data.detailed_metrics.recent_transactions[].status string
  metadata.time_range.start timestamp
  metadata.time_range.end timestamp
  metadata.time_range.group_by string
  metadata.api_version string
  metadata.detailed boolean
  metadata.cache_ttl integer`,
  readLedger: `
  data.account_id string
  data.range.from timestamp|null
  data.opening_balance number
  data.closing_balance number
  data.totals.credited number
  data.totals.charged number
  data.totals.refunded number
  data.costs{} number
  data.open_charges.count integer
  data.open_charges.amount number
  data.proof.holds boolean
  data.proof.lines[].name string
  data.proof.lines[].statement string
  data.proof.lines[].holds boolean
  data.proof.lines[].checked integer
  data.proof.lines[].fault_count integer
  data.postings[].revision integer
  data.postings[].at timestamp
  data.postings[].kind string
  data.postings[].id string
  data.postings[].charge_id string
  data.postings[].amount number
  data.postings[].balance number
  data.postings[].lines[].price string
  data.postings[].lines[].amount number
  data.postings[].cause.operation string
  data.postings[].cause.request_id string
  data.postings[].cause.job_id string
  data.postings[].cause.batch_id string
  data.postings[].cause.media_id string
  data.postings[].cause.filename string
  data.postings[].cause.files integer
  data.postings[].cause.reference string
  data.postings[].cause.actor string
  data.postings[].hash string
  data.pagination.page integer
  data.pagination.page_size integer
  data.pagination.total_items integer
  data.pagination.total_pages integer
  data.pagination.has_next boolean
  timestamp timestamp`,
  readStatement: `
  data.account_name string
  data.month string
  data.from timestamp
  data.until timestamp
  data.made_at timestamp
  data.final boolean
  data.opening_balance string
  data.credited string
  data.charged string
  data.refunded string
  data.closing_balance string
  data.costs{} string
  data.postings[].amount string
  data.postings[].balance string`,
  readMediaHistory: `
  data.media_id string
  data.state string
  data.erased boolean
  data.entries[].at timestamp
  data.entries[].event string
  data.entries[].event_id string
  data.entries[].hash string
  data.entries[].actor string
  data.entries[].request_id string
  data.entries[].operation string
  data.entries[].batch_id string
  data.entries[].job_id string
  data.entries[].media_ids strings
  data.entries[].filename string
  data.entries[].media_type string
  data.entries[].format string
  data.entries[].size_bytes integer
  data.entries[].sha256 string
  data.entries[].collection string
  data.entries[].understanding.embedder string
  data.entries[].understanding.enricher string
  data.entries[].understanding.hd_vectors integer
  data.entries[].understanding.ld_vectors integer
  data.entries[].understanding.duration_ms number
  data.entries[].understanding.warnings strings
  data.entries[].posting.kind string
  data.entries[].posting.id string
  data.entries[].posting.amount number
  data.entries[].posting.lines[].price string
  data.entries[].posting.lines[].amount number
  data.pagination.has_next boolean
  timestamp timestamp`,
  readRequest: `
  data.request_id string
  data.first_at timestamp
  data.last_at timestamp
  data.batch_id string
  data.charged number
  data.refunded number
  data.items[].media_id string
  data.items[].state string
  data.items[].filename string
  data.items[].collection string
  data.entries[].event string
  data.entries[].posting.charge_id string
  data.entries[].reason string
  data.pagination.has_next boolean
  timestamp timestamp`,
  readUsageDiff: `
  data.from.at timestamp
  data.from.balance number
  data.from.usage_costs object
  data.to.balance number
  data.to.tier string
  data.to.payment_status string
  data.to.usage_costs{} number
  data.difference.balance number
  data.difference.usage_costs{} number
  metadata.api_version string`,
  openAccount: below('data', ACCOUNT),
  listAccounts: `${below('data.accounts[]', ACCOUNT)}${below('data.pagination', PAGINATION)}`,
  readAccount: below('data', ACCOUNT),
  creditAccount: '\n  data.balance number',
  issueKey: '\n  data.key_id string\n  data.api_key string',
  rotateKey: '\n  data.api_key string\n  data.old_key_valid_until timestamp',
  startOperation: '\n  data.operation_id string',
}

function analysis(): string {
  return `
  analysis.summary string
  analysis.key_elements strings
  analysis.relevant_details string
  answer.main_response string
  answer.insights[].observation string
  answer.insights[].analysis string
  answer.insights[].implication string
  answer.additional_considerations string`
}

/** The same fields one level deeper. */
function below(place: string, fields: string): string {
  return fields.replaceAll(/\n\s*(?=\S)/g, `\n  ${place}.`)
}

/** What `details` of a refusal holds besides the request's id. */
export const ERROR_DETAILS: { readonly [answer: string]: readonly string[] } = {
  'uploadMedia 403 INSUFFICIENT_FUNDS': ['required_amount', 'current_balance', 'shortfall'],
  'uploadMedia 403 QUOTA_EXCEEDED': ['quota_limit', 'used'],
  'listMedia 400 INVALID_PARAMETER': ['parameter', 'reason'],
  'readMedia 404 RESOURCE_NOT_FOUND': ['resource_type', 'resource_id'],
  'deleteMedia 404 RESOURCE_NOT_FOUND': ['resource_type', 'resource_id'],
  'createBatch 403 insufficient_funds': ['required_amount', 'current_balance', 'shortfall'],
  'createBatch 400 invalid_media': ['files'],
  'readBatchResults 500 processing_error': ['operation', 'batch_id'],
  'cancelBatch 500 processing_error': ['operation', 'batch_id'],
  'ask 400 VALIDATION_ERROR': ['parameter', 'reason'],
  'readUsage 400 validation_error': ['expected_format', 'parse_error'],
  'readLedger 400 VALIDATION_ERROR': ['parameter', 'reason'],
  'readUsageDiff 400 validation_error': ['expected_format', 'parse_error'],
}

export const CAPABILITIES = {
  write: ['uploadMedia', 'createBatch', 'cancelBatch', 'moveItems'],
  delete: ['deleteMedia', 'deleteMediaBatch', 'deleteCollection'],
  read: [
    'listMedia',
    'readMedia',
    'listCollections',
    'readCollection',
    'listBatches',
    'readBatch',
    'readBatchResults',
    'ask',
    'analyzeFile',
    'search',
    'findSimilar',
    'readStatus',
    'readUsage',
    'readLedger',
    'readStatement',
    'readMediaHistory',
    'readRequest',
    'readUsageDiff',
    'followEvents',
  ],
} as const satisfies Record<string, readonly OperationId[]>

export const STATES = [
  'media: (none) → completed',
  'media: processing',
  'media: failed',
  'media: deleted, deletion_status completed',
  'batch: (none) → created',
  'batch: created → running',
  'batch: created → cancelled',
  'batch: running → completed',
  'batch: running → failed',
  'batch: running → cancelled',
  'batch: a terminal one stays as it is',
  'job: succeeded',
  'job: processed',
  'job: failed format_error',
  'job: failed corrupted_file',
  'job: failed validation_error',
  'job: failed processing_error',
  'job: failed storage_error',
  'job: failed timeout_error',
  'job: failed resource_error',
  'job: failed quota_exceeded',
  'job: failed cancelled',
  'service: operational',
  'service: degraded',
  'service: critical',
  'component: unavailable',
  'payment: active → suspended → active',
] as const

export const LIMITS = [
  'items per add-to-collection: 1000',
  'media ids per batch delete: 100',
  'files per batch: 25',
  'bytes per batch: 100 MB',
  'batch_name: 1 to 200 characters',
  'page_size of the list: 1 to 100, default 20',
  'page_size of batch results: 1 to 100, default 100',
  'temperature: 0.0 to 1.0, default 0.7',
  'max_tokens: 1 to 4096, default 1024',
  'input tokens: 100,000',
  'output tokens: at most max_tokens',
  'search query: 1 to 10 000 characters',
  'max_results: 1 to 100, default 10',
  'min_score: 0.0 to 1.0, default 0',
  'context_depth: 0 to 5, default 1',
  'expansion_factor: 1 to 10, default 2',
  'lexical_weight: 0.0 to 1.0, default 0.35',
  'collection id: 1 to 64 characters, `all` reserved',
  'file name: 255 bytes',
  'Idempotency-Key: 1 to 255 characters',
  'usage window: the last 7 days by default',
  'usage: the last 50 transactions',
  'file size, document: 20 MB',
  'file size, image: 20 MB',
  'file size, image in analysis: 50 MB',
  'file size, audio: 50 MB',
  'file size, model: 50 MB',
  'file size, video: 100 MB',
  'audio: 10 minutes',
  'video: 10 minutes',
  'requests a minute: free 60',
  'requests a minute: standard 600, enterprise 6000',
  'quota in vectors: free 10 000',
  'quota in vectors: standard 1 000 000, enterprise 100 000 000',
] as const

export const PRICES = [
  'upload: 0.04',
  'duplicate in a batch: free',
  'AI query: 0.01',
  'AI query of more than 10 000 tokens: 0.10 per million of input besides',
  'media analysis: 0.03',
  'basic search: free',
  'advanced search: 0.01 and 0.01 per depth level reached',
  'similarity search: 0.01',
] as const

export const HEADERS = [
  'X-Request-Id: on every answer, made here',
  'X-Correlation-Id: the caller’s X-Request-Id',
  'X-RateLimit-Limit, -Remaining, -Reset: on every answer to a valid key',
  'Retry-After: on 429',
  'Retry-After: on 503',
  'X-Position: on every answer to a valid key',
  'X-Min-Position: a read waits for it',
  'Idempotency-Replayed: on a repeat',
  'Allow: on 405',
  'unknown path: 404 NOT_FOUND',
  'wrong method: 405 METHOD_NOT_ALLOWED',
  'X-Operator-Token: the operator’s side',
] as const
