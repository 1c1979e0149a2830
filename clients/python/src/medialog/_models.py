# Made from the contract by `python generate.py`: not to be changed by hand.

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from medialog._files import FileSource
from typing_extensions import NotRequired, TypedDict

Model: TypeAlias = Any


class ProcessingInfo(TypedDict):
    started_at: str
    completed_at: str
    job_id: str


class Entities(TypedDict):
    people: list[str]
    organizations: list[str]
    locations: list[str]
    concepts: list[str]
    objects: list[str]


class Quality(TypedDict):
    clarity: float
    completeness: float
    relevance: float
    technical: float


class ContentSummary(TypedDict):
    summary: str
    description: str
    topics: list[str]
    keywords: list[str]
    categories: list[str]
    emotions: list[str]
    entities: Entities
    quality: Quality


class Dimensions(TypedDict):
    width: float
    height: float


class Dimensions1(TypedDict):
    x: float
    y: float
    z: float


class StorageInfo(TypedDict):
    collection: str
    vectors_stored: int
    stored_at: str


class BalanceInfo(TypedDict):
    previous_balance: float
    cost: float
    new_balance: float


class Models(TypedDict):
    """
    What made it: models of providers by name, methods in the box with their version.
    """

    enrichment: str
    vision: NotRequired[str]
    transcription: NotRequired[str]


class Processing(TypedDict):
    models: Models
    warnings: list[str]


class Vectors(TypedDict):
    combined: list[float]
    dimensions: int
    model: str


MediaType: TypeAlias = Literal['document', 'image', 'video', 'audio', 'model']


class ErrorDetails(TypedDict):
    request_id: NotRequired[str]


class ProcessingInfo1(TypedDict):
    completed_at: str
    duration_ms: int


class Status(TypedDict):
    state: Literal['completed', 'processing', 'failed']
    processing_info: ProcessingInfo1


class Storage(TypedDict):
    created_at: str


class FileInfo(TypedDict):
    filename: str
    size_bytes: int
    checksum: str
    page_count: NotRequired[int]


class Processing1(TypedDict):
    models: Models
    warnings: list[str]


class Formatting(TypedDict):
    original_format: str
    structure_type: str
    was_truncated: bool


class Section(TypedDict):
    title: str
    level: int
    content_type: str


class Structure(TypedDict):
    has_figures: bool
    has_tables: bool
    page_count: NotRequired[int]
    sections: list[Section]


class DominantColor(TypedDict):
    hex: str
    name: str
    share: float


class Preview(TypedDict):
    """
    Of the preview in `content`, in pixels; absent where none is kept.
    """

    width: int
    height: int


class VisualAttributes(TypedDict):
    dominant_colors: list[DominantColor]
    exif: dict[str, str | float]
    frame_count: NotRequired[int]
    kind: NotRequired[Literal['photo', 'drawing', 'screenshot', 'scan', 'icon']]
    kind_confidence: NotRequired[float]
    description: NotRequired[str]
    scene_type: NotRequired[str]
    visual_elements: NotRequired[list[str]]
    preview: NotRequired[Preview]


class TextRecognition(TypedDict):
    """
    Words of the text that were read from pictures (OCR); absent where none were.
    """

    method: str
    languages: list[str]
    words: int
    words_left_out: int
    confidence: float
    pages: NotRequired[list[int]]


class KeyFrame(TypedDict):
    timestamp: float
    dominant_colors: list[DominantColor]
    brightness: float
    kind: Literal['plain', 'drawing', 'photo']


class Loudness(TypedDict):
    """
    Of sound that can be decoded.
    """

    integrated_lufs: float | None
    peak_dbfs: float | None
    silence_share: float


class StreamAttributes(TypedDict):
    codec: NotRequired[str]
    bit_rate: NotRequired[float]
    loudness: NotRequired[Loudness]
    tags: dict[str, str]


class Color(TypedDict):
    hex: str
    name: str


class ModelAttributes(TypedDict):
    triangle_count: int
    materials: list[str]
    parts: list[str]
    colors: NotRequired[list[Color]]


class Modality(TypedDict):
    formatting: Formatting
    structure: Structure
    visual_attributes: NotRequired[VisualAttributes]
    text_recognition: NotRequired[TextRecognition]
    key_frames: NotRequired[list[KeyFrame]]
    stream_attributes: NotRequired[StreamAttributes]
    model_attributes: NotRequired[ModelAttributes]


class SemanticMarkers(TypedDict):
    categories: list[str]
    emotions: list[str]
    topics: list[str]


class Entities1(TypedDict):
    people: list[str]
    organizations: list[str]
    locations: list[str]
    concepts: list[str]


class QualityMetrics(TypedDict):
    clarity: float
    completeness: float
    relevance: float
    technical: float


class SearchMetadata(TypedDict):
    summary: str
    description: str
    keywords: list[str]
    semantic_markers: SemanticMarkers
    entities: Entities1
    quality_metrics: QualityMetrics


class Status1(TypedDict):
    state: Literal['completed', 'processing', 'failed']
    processing_info: ProcessingInfo1


class FileInfo1(TypedDict):
    filename: str
    size_bytes: int
    checksum: str


class ChangedMediaItem(TypedDict):
    """
    What the log still says of it; the rest is absent.
    """

    id: str
    media_id: str
    media_type: MediaType
    storage: Storage
    changed_since: Literal[True]
    collection: NotRequired[str]
    status: NotRequired[Status1]
    file_info: NotRequired[FileInfo1]


class ErasedMediaItem(TypedDict):
    """
    Erased since: that it was there, and nothing of what it was.
    """

    id: str
    media_id: str
    media_type: MediaType
    storage: Storage
    erased: Literal[True]
    erased_at: str


class Pagination(TypedDict):
    page: int
    page_size: int
    total_items: int
    total_pages: int
    has_next: bool
    next: NotRequired[str]


class Applied(TypedDict):
    media_type: NotRequired[MediaType]
    collection: NotRequired[str]


class Filters(TypedDict):
    applied: Applied
    total_matching: int


class Status2(TypedDict):
    state: Literal['completed', 'processing', 'failed']
    processing_info: ProcessingInfo1


class Dimensions2(TypedDict):
    width: float
    height: float


class Dimensions3(TypedDict):
    x: float
    y: float
    z: float


class FileInfo2(TypedDict):
    filename: str
    size_bytes: int
    checksum: str
    processed_at: str
    page_count: NotRequired[int]
    word_count: NotRequired[int]
    dimensions: NotRequired[Dimensions2 | Dimensions3]
    color_mode: NotRequired[str]
    duration: NotRequired[float]
    resolution: NotRequired[str]
    frame_rate: NotRequired[float]
    sample_rate: NotRequired[float]
    channels: NotRequired[int]
    vertex_count: NotRequired[int]
    material_count: NotRequired[int]


class KeyFrame1(TypedDict):
    timestamp: float
    thumbnail: str


class Segment(TypedDict):
    start: float
    end: float
    text: str
    confidence: NotRequired[float]


class Content(TypedDict):
    """
    Chunk 0 is the item’s head: file name, title, keywords, and a summary that does not quote the text.
    """

    text: str
    chunks: list[str]
    summary: str
    key_frames: NotRequired[list[KeyFrame1]]
    preview: NotRequired[str]
    transcript: NotRequired[str]
    segments: NotRequired[list[Segment]]


class Vectors2(TypedDict):
    combined: list[float]
    dimensions: int
    model: str
    chunks: list[list[float]]


class Subject(TypedDict):
    kind: Literal['items', 'collection', 'account']
    collection: NotRequired[str]


class Item(TypedDict):
    media_id: str
    ingest_id: str
    sha256: str
    artifacts: dict[str, str]


class Store(TypedDict):
    store: str
    how: str


class Event(TypedDict):
    """
    Says in the log that it is done; its place there can be proven.
    """

    stream: str
    revision: int
    hash: str


class ErasureReceipt(TypedDict):
    erasure_id: str
    account_id: str
    subject: Subject
    requested_at: str
    erased_at: str
    ingests: int
    digest: str
    items: list[Item]
    stores: list[Store]
    event: Event


MediaId: TypeAlias = str


class DeleteMediaBatchRequest(TypedDict, closed=True):
    media_ids: list[MediaId]
    reason: NotRequired[str]


class Deleted(TypedDict):
    count: int
    media_ids: list[str]
    hd_vectors: int
    ld_vectors: int


class Failed(TypedDict):
    count: int
    media_ids: list[str]
    reasons: dict[str, str]


class Processing2(TypedDict):
    document: float
    image: float
    video: float
    audio: float
    model: float


class Breakdown(TypedDict):
    processing: Processing2
    storage: float


class CostEstimate(TypedDict):
    """
    What was charged; duplicates that were known are free.
    """

    total: float
    breakdown: Breakdown


class Settings(TypedDict):
    force_overwrite: bool
    collection_id: str
    media_count: int


class BatchCreation(TypedDict):
    batch_id: str
    status: Literal['created']
    total_items: int
    created_at: str
    estimated_completion_seconds: int
    estimated_completion: str
    collection: str
    cost_estimate: CostEstimate
    settings: Settings


class Progress(TypedDict):
    successful: int
    skipped: int
    failed: int
    pending: int
    processing: int
    percent: float


class Cost(TypedDict):
    charged: float
    refunded: float
    net: float


class ProcessingJob(TypedDict):
    job_id: str
    filename: NotRequired[str]
    percent: float


class Batch(TypedDict):
    batch_id: str
    batch_name: NotRequired[str]
    status: Literal['created', 'running', 'completed', 'failed', 'cancelled']
    collection: str
    created_at: str
    started_at: str | None
    completed_at: str | None
    total_items: int
    progress: Progress
    cost: Cost
    estimated_completion: str | None
    processing_jobs: NotRequired[list[ProcessingJob]]


class Pagination1(TypedDict):
    page: int
    page_size: int
    total_items: int
    total_pages: int
    has_next: bool


class ListBatchesData(TypedDict):
    batches: list[Batch]
    pagination: Pagination1


class Timeline(TypedDict):
    created_at: str
    started_at: str | None
    completed_at: str | None
    total_duration_seconds: float | None


class Completion(TypedDict):
    successful: int
    failed: int
    total_items: int
    completion_rate: float


class BatchSummary(TypedDict):
    batch_id: str
    batch_name: NotRequired[str]
    collection: str
    status: Literal['created', 'running', 'completed', 'failed', 'cancelled']
    timeline: Timeline
    completion: Completion


class MediaDistribution(TypedDict):
    by_type: dict[MediaType, int]
    total_created_media_items: int
    media_ids_by_type: dict[MediaType, list[str]]


class Completion1(TypedDict):
    successful: int
    failed: int
    total: int
    success_rate: float


class Resources(TypedDict):
    total_files_size_bytes: int
    total_files_size_mb: float


class ErrorSummaryItem(TypedDict):
    error_type: Literal['validation_error', 'format_error', 'corrupted_file', 'processing_error', 'storage_error', 'timeout_error', 'resource_error', 'quota_exceeded', 'cancelled']
    count: int
    affected_files: list[str]
    resolution: str


class Statistics(TypedDict):
    media_distribution: MediaDistribution
    completion: Completion1
    resources: Resources
    error_summary: NotRequired[list[ErrorSummaryItem]]


class Pagination2(TypedDict):
    page: int
    page_size: int
    total_items: int
    total_pages: int


class FileInfo3(TypedDict):
    size_bytes: int
    size_mb: float


class ProcessingInfo4(TypedDict):
    created_at: str
    completed_at: str


class Details(TypedDict):
    filename: NotRequired[str]
    resolution: str


class Error(TypedDict):
    message: str
    code: Literal['validation_error', 'format_error', 'corrupted_file', 'processing_error', 'storage_error', 'timeout_error', 'resource_error', 'quota_exceeded', 'cancelled']
    details: Details


class JobResult(TypedDict):
    job_id: str
    media_id: str | None
    filename: NotRequired[str]
    media_type: MediaType
    status: Literal['succeeded', 'failed', 'processed']
    file_info: FileInfo3
    processing_info: ProcessingInfo4
    error: NotRequired[Error]


class CancelBatchData(TypedDict):
    batch_id: str
    previous_state: Literal['created', 'running', 'completed', 'failed', 'cancelled']
    current_state: Literal['created', 'running', 'completed', 'failed', 'cancelled']
    timestamp: str


Collection: TypeAlias = str


class Config(TypedDict, closed=True):
    lexical_weight: NotRequired[float]
    context_depth: NotRequired[int]
    expansion_factor: NotRequired[float]


Topic: TypeAlias = str


Person: TypeAlias = str


Organization: TypeAlias = str


Location: TypeAlias = str


Object: TypeAlias = str


Concept: TypeAlias = str


class Entities2(TypedDict, closed=True):
    """
    Every kind given must match, any of its names, in any case.
    """

    people: NotRequired[list[Person]]
    organizations: NotRequired[list[Organization]]
    locations: NotRequired[list[Location]]
    objects: NotRequired[list[Object]]
    concepts: NotRequired[list[Concept]]


class Filters1(TypedDict, closed=True):
    media_type: NotRequired[MediaType | list[MediaType]]
    created_after: NotRequired[str]
    created_before: NotRequired[str]
    topics: NotRequired[list[Topic]]
    entities: NotRequired[Entities2]


Feature: TypeAlias = str


class Modality1(TypedDict, closed=True):
    """
    Raises items of `type` that have all `features`; nothing is dropped.
    """

    type: MediaType
    weight: NotRequired[float]
    features: NotRequired[list[Feature]]


class SearchRequest(TypedDict, closed=True):
    query: str
    type: NotRequired[Literal['basic', 'advanced']]
    collections: NotRequired[str | list[Collection]]
    max_results: NotRequired[int]
    min_score: NotRequired[float]
    config: NotRequired[Config]
    filters: NotRequired[Filters1]
    modality: NotRequired[Modality1]


class ScoreParts(TypedDict):
    """
    What a direct match’s score is made of: lexical_weight × lexical + (1 − lexical_weight) × semantic. A connection, or `modality`, raises the score above it.
    """

    lexical: float
    semantic: float
    lexical_weight: float
    matched_terms: list[str]


class Time(TypedDict):
    """
    When it is said, of a recording or film where that is known.
    """

    start: float
    end: float


class Passage(TypedDict):
    """
    The passage that matches best.
    """

    text: str
    chunk: int
    time: NotRequired[Time]


class FileInfo4(TypedDict):
    filename: str
    size_bytes: int
    checksum: str


class Metadata(TypedDict):
    file_info: FileInfo4
    search_metadata: SearchMetadata


class ExpansionStep(TypedDict):
    source_id: str
    source_filename: str
    target_id: str
    target_filename: str
    relation_type: Literal['shared_entity', 'shared_topic', 'similar_content', 'same_source']
    strength: float
    source_modality: MediaType
    target_modality: MediaType
    symbol: Literal['↔', '→']
    relationship_type: str


class CrossModalConnection(TypedDict):
    target_id: str
    target_filename: str
    relation_type: Literal['shared_entity', 'shared_topic', 'similar_content', 'same_source']
    strength: float
    source_modality: MediaType
    target_modality: MediaType
    symbol: Literal['↔', '→']
    relationship_type: str


class Stats(TypedDict):
    total_results: int
    query_time_ms: int
    time_ms: int


class Collections(TypedDict):
    searched: list[str]
    result_distribution: dict[str, int]


class Cost1(TypedDict):
    """
    Of advanced search.
    """

    amount: float
    depth_reached: int


class Meta(TypedDict):
    query: str
    stats: Stats
    collections: Collections
    cost: NotRequired[Cost1]


class SimilarRequest(TypedDict, closed=True):
    media_id: str
    collections: NotRequired[str | list[Collection]]
    max_results: NotRequired[int]
    min_score: NotRequired[float]
    cluster: NotRequired[bool]
    include_reference: NotRequired[bool]
    modality_filter: NotRequired[MediaType | None]


class Visual(TypedDict):
    """
    Of images.
    """

    scene_type: str
    visual_elements: list[str]


class ModalityMetadata(TypedDict):
    """
    What only items of its type have.
    """

    visual: NotRequired[Visual]


class Metadata1(TypedDict):
    file_info: FileInfo4
    media_type: MediaType
    search_metadata: SearchMetadata
    modality_metadata: ModalityMetadata


class SimilarResult(TypedDict):
    media_id: str
    media_type: MediaType
    score: float
    similarity_percentage: str
    relevance_explanation: str
    collection: str
    metadata: Metadata1


class ReferenceItem(TypedDict):
    media_id: str
    media_type: MediaType
    filename: str
    collection: str


class Meta1(TypedDict):
    reference_item: ReferenceItem
    stats: Stats
    collections: Collections


class Metadata2(TypedDict):
    modality: MediaType | Literal['mixed']
    avg_score: float
    member_count: int


class Clusters(TypedDict):
    clusters: dict[str, list[str]]
    metadata: dict[str, Metadata2]


class Relationships(TypedDict):
    """
    With `cluster`.
    """

    clusters: Clusters


class FindSimilarData(TypedDict):
    results: list[SimilarResult]
    meta: Meta1
    relationships: NotRequired[Relationships]
    cost: float


class AskRequest(TypedDict, closed=True):
    query: str
    media_id: NotRequired[str]
    collections: NotRequired[str | list[Collection]]
    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    system_prompt: NotRequired[str]
    context: NotRequired[str]
    stream: NotRequired[bool]


class AnswerSource(TypedDict):
    media_id: str
    filename: str
    collection: str
    title: str | None
    chunk: int
    text: str
    time: NotRequired[Time]
    revision: int


class Usage(TypedDict):
    context_tokens: int
    response_tokens: int
    total_tokens: int
    processing_time_ms: int


class AnswerBilling(TypedDict):
    total_cost: float
    base_fee: float
    token_charges: float
    usage: Usage
    pricing_tier: Literal['minimum', 'standard']


class Request(TypedDict):
    query: str
    temperature: float
    max_tokens: int
    disclaimer: str


class MediaContext(TypedDict):
    media_id: str
    media_type: MediaType
    collection: str
    created_at: str


class AskData(TypedDict):
    response: str
    sources: list[AnswerSource]
    billing: AnswerBilling
    request: Request
    media_context: NotRequired[MediaContext]


class MediaInfo(TypedDict):
    filename: str
    format: str
    media_type: MediaType
    processed_at: str
    size: int


class ProcessingInfo5(TypedDict):
    api_version: str
    context_id: str
    model: str
    processing_time_ms: int
    status: Literal['success', 'failed']
    cost: float
    balance: float


class QueryInfo(TypedDict):
    query: str
    response_format: Literal['text', 'json']
    system_prompt: str | None


class Analysis(TypedDict):
    """
    With response_format json.
    """

    summary: str
    key_elements: list[str]
    relevant_details: str


class Insight(TypedDict):
    observation: str
    analysis: str
    implication: str


class Answer(TypedDict):
    """
    With response_format json.
    """

    main_response: str
    insights: list[Insight]
    additional_considerations: str


class Analysis1(TypedDict):
    summary: str
    key_elements: list[str]
    relevant_details: str


class Answer1(TypedDict):
    main_response: str
    insights: list[Insight]
    additional_considerations: str


class Content1(TypedDict):
    analysis: Analysis1
    answer: Answer1


class Response(TypedDict):
    content: str | Content1
    format: Literal['text', 'json']
    generated_at: str


class FileAnalysis(TypedDict):
    media_info: MediaInfo
    processing_info: ProcessingInfo5
    query_info: QueryInfo
    analysis: NotRequired[Analysis]
    answer: NotRequired[Answer]
    response: Response


class CollectionDetails(TypedDict):
    item_count: int
    created_at: str
    media_type_distribution: dict[MediaType, int]


class ListCollectionsData(TypedDict):
    collections: list[str]
    collection_details: dict[str, CollectionDetails]
    total_collections: int


class Stats2(TypedDict):
    item_count: int
    first_item_date: str
    last_item_date: str
    media_type_distribution: dict[MediaType, int]


class ReadCollectionData(TypedDict):
    collection_id: str
    stats: Stats2


class DeletedVectors(TypedDict):
    hd: int
    ld: int


class StorageInfo1(TypedDict):
    deleted_vectors: DeletedVectors


Item1: TypeAlias = str


class MoveItemsRequest(TypedDict, closed=True):
    items: list[Item1]


class Summary(TypedDict):
    total: int
    succeeded: int
    failed: Literal[0]
    already_in_collection: int
    moved: int


class MoveItemsData(TypedDict):
    collection_id: str
    summary: Summary
    items_by_type: dict[MediaType, int]


class Components(TypedDict):
    api: Literal['operational', 'degraded', 'unavailable']
    storage: Literal['operational', 'degraded', 'unavailable']
    search: Literal['operational', 'degraded', 'unavailable']
    artifacts: NotRequired[Literal['operational', 'degraded', 'unavailable']]
    limits: NotRequired[Literal['operational', 'degraded', 'unavailable']]
    publisher: NotRequired[Literal['operational', 'degraded', 'unavailable']]
    webhooks: NotRequired[Literal['operational', 'degraded', 'unavailable']]


class RateLimits(TypedDict):
    limit: int
    remaining: int
    reset_time: str


class Account(TypedDict):
    tier: Literal['free', 'standard', 'enterprise']
    capabilities: list[Literal['read', 'write', 'delete']]
    rate_limits: RateLimits


class Performance(TypedDict):
    response_time_ms: int


class Provider(TypedDict):
    use: str
    model: str
    breaker: Literal['closed', 'open', 'half-open']
    trouble: str | None


class Notice(TypedDict):
    type: str
    message: str
    estimated_completion: NotRequired[str]


class ServiceStatus(TypedDict):
    status: Literal['operational', 'degraded', 'critical']
    version: str
    timestamp: str
    components: Components
    account: Account
    performance: Performance
    providers: list[Provider]
    notice: NotRequired[Notice]


class OwnKey(TypedDict):
    key_id: str
    label: str
    capabilities: list[Literal['read', 'write', 'delete']]
    created_at: str
    expires_at: str | None
    old_key_valid_until: str | None
    revoked: bool
    is_used: bool


class ListOwnKeysData(TypedDict):
    keys: list[OwnKey]


class AccountInfo(TypedDict):
    balance: float
    tier: Literal['free', 'standard', 'enterprise']
    last_billing_date: NotRequired[str]
    payment_status: Literal['active', 'suspended', 'closed']
    user_id: str


class BillingSummary(TypedDict):
    current_balance: float
    usage_costs: dict[str, float]
    pricing: dict[str, float]


class Total(TypedDict):
    vectors: NotRequired[int]
    size_gb: NotRequired[float]
    quota_limit: int
    quota_used_percent: NotRequired[float]


class StorageUsage(TypedDict):
    total: Total


class RecentTransaction(TypedDict):
    timestamp: str
    type: Literal['charge', 'refund', 'credit']
    amount: float
    status: Literal['completed']


class DetailedMetrics(TypedDict):
    usage_trends: dict[str, dict[str, float]]
    opening_balance: float
    balance_trend: dict[str, float]
    recent_transactions: list[RecentTransaction]


class ReadUsageData(TypedDict):
    account_info: AccountInfo
    billing_summary: BillingSummary
    storage_usage: StorageUsage
    detailed_metrics: NotRequired[DetailedMetrics]


class Fault(TypedDict):
    revision: NotRequired[int]
    position: NotRequired[int]
    subject: str
    reason: str


class Line(TypedDict):
    name: Literal['sequence', 'sums', 'refunds', 'books', 'batches', 'postings', 'costs']
    statement: str
    holds: bool | None
    trouble: NotRequired[str]
    checked: int
    fault_count: int
    faults: list[Fault]


class Proof(TypedDict):
    holds: bool
    lines: list[Line]


class Line1(TypedDict):
    price: str
    amount: float


class Cause(TypedDict):
    operation: NotRequired[str]
    request_id: NotRequired[str]
    job_id: NotRequired[str]
    batch_id: NotRequired[str]
    media_id: NotRequired[str]
    filename: NotRequired[str]
    files: NotRequired[int]
    reference: NotRequired[str]
    actor: str
    correlation_id: NotRequired[str]


class Posting(TypedDict):
    revision: int
    at: str
    kind: Literal['credit', 'charge', 'refund']
    id: str
    charge_id: NotRequired[str]
    amount: float
    balance: float
    lines: list[Line1]
    cause: Cause
    position: NotRequired[int]
    event_id: str
    hash: str


class Range(TypedDict):
    """
    Null: from the beginning, up to now. `until` itself is not in it.
    """

    from_: str | None
    until: str | None


class Totals(TypedDict):
    credited: float
    charged: float
    refunded: float


class Book(TypedDict):
    into: str
    balance: float
    revision: int
    position: NotRequired[int]


class FirstItem(TypedDict):
    charge_id: str
    at: str
    operation: str
    amount: float
    left: float


class OpenCharges(TypedDict):
    """
    Neither settled nor wholly refunded at the end.
    """

    count: int
    amount: float
    first: list[FirstItem]


class Pagination3(TypedDict):
    page: int
    page_size: int
    total_items: int
    total_pages: int
    has_next: bool


class ReadLedgerData(TypedDict):
    account_id: str
    range: Range
    opening_balance: float
    closing_balance: float
    totals: Totals
    costs: dict[str, float]
    books: list[Book]
    open_charges: OpenCharges
    proof: Proof
    postings: list[Posting]
    pagination: Pagination3


class OpenCharges1(TypedDict):
    """
    Neither settled nor wholly refunded at the end.
    """

    count: int
    amount: float
    first: list[FirstItem]


class LedgerReport(TypedDict):
    account_id: str
    range: Range
    opening_balance: float
    closing_balance: float
    totals: Totals
    costs: dict[str, float]
    books: list[Book]
    open_charges: OpenCharges1
    proof: Proof


class OpenCharges2(TypedDict):
    count: int
    amount: str


class Ledger(TypedDict):
    """
    Its last event, by which the ledger’s proof covers the statement; null without events.
    """

    stream: str
    revision: int
    hash: str
    checkpoint: str | None


class Line2(TypedDict):
    price: str
    amount: str


class Posting1(TypedDict):
    revision: int
    at: str
    kind: Literal['credit', 'charge', 'refund']
    id: str
    charge_id: NotRequired[str]
    amount: str
    balance: str
    lines: list[Line2]
    cause: Cause


class Statement(TypedDict):
    account_id: str
    account_name: str
    month: str
    from_: str
    until: str
    made_at: str
    final: bool
    opening_balance: str
    credited: str
    charged: str
    refunded: str
    closing_balance: str
    costs: dict[str, str]
    open_charges: OpenCharges2
    ledger: Ledger | None
    proof: Proof
    postings: list[Posting1]


class From(TypedDict):
    at: str
    balance: float
    tier: NotRequired[Literal['free', 'standard', 'enterprise']]
    payment_status: NotRequired[Literal['active', 'suspended', 'closed']]
    usage_costs: dict[str, float]


class To(TypedDict):
    at: str
    balance: float
    tier: NotRequired[Literal['free', 'standard', 'enterprise']]
    payment_status: NotRequired[Literal['active', 'suspended', 'closed']]
    usage_costs: dict[str, float]


class Difference(TypedDict):
    balance: float
    usage_costs: dict[str, float]


class ReadUsageDiffData(TypedDict):
    from_: From
    to: To
    difference: Difference


class OpenCharges3(TypedDict):
    """
    Neither settled nor wholly refunded at the end.
    """

    count: int
    amount: float
    first: list[FirstItem]


class ReadAccountLedgerData(TypedDict):
    account_id: str
    range: Range
    opening_balance: float
    closing_balance: float
    totals: Totals
    costs: dict[str, float]
    books: list[Book]
    open_charges: OpenCharges3
    proof: Proof
    postings: list[Posting]
    pagination: Pagination3


class CloudEvent(TypedDict):
    specversion: Literal['1.0']
    id: str
    type: str
    subject: str
    time: str
    dataversion: str
    revision: str
    actor: str
    accountid: NotRequired[str]
    requestid: NotRequired[str]
    causationid: NotRequired[str]
    traceparent: NotRequired[str]
    source: Literal['/medialog']
    datacontenttype: Literal['application/json']
    data: dict[str, Any]


Type: TypeAlias = str


class AddWebhookRequest(TypedDict, closed=True):
    url: str
    types: NotRequired[list[Type]]


class Webhook(TypedDict):
    webhook_id: str
    url: str
    types: list[str]
    status: Literal['active', 'paused', 'disabled']
    disabled_reason: Literal['gone', 'failing'] | None
    created_at: str
    changed_at: str


class AddWebhookData(TypedDict):
    webhook: Webhook
    secret: str


class ListWebhooksData(TypedDict):
    webhooks: list[Webhook]


class WebhookWithProgress(TypedDict):
    webhook_id: str
    url: str
    types: list[str]
    status: Literal['active', 'paused', 'disabled']
    disabled_reason: Literal['gone', 'failing'] | None
    created_at: str
    changed_at: str
    position: str | None
    last_delivered_at: str | None
    pending: int
    dead: int


class ChangeWebhookRequest(TypedDict, closed=True):
    url: NotRequired[str]
    types: NotRequired[list[Type]]
    paused: NotRequired[bool]


class RemoveWebhookData(TypedDict):
    webhook_id: str


class RotateWebhookSecretData(TypedDict):
    webhook_id: str
    secret: str
    former_valid_until: str


class ReplayWebhookRequest(TypedDict, closed=True):
    after: str


class TestWebhookData(TypedDict):
    webhook_id: str
    delivery_id: str


class Attempt(TypedDict):
    at: str
    duration_ms: int
    status_code: int | None
    error: str | None


class Delivery(TypedDict):
    delivery_id: str
    type: str
    subject: str
    position: str
    status: Literal['pending', 'delivered', 'dead', 'erased']
    next_attempt_at: str | None
    changed_at: str
    attempts: list[Attempt]


class Pagination5(TypedDict):
    page: int
    page_size: int
    total_items: int
    total_pages: int


class ListDeliveriesData(TypedDict):
    deliveries: list[Delivery]
    pagination: Pagination5


class ResendDeliveryData(TypedDict):
    webhook_id: str
    delivery_id: str


class Understanding(TypedDict):
    embedder: str
    enricher: NotRequired[str]
    hd_vectors: NotRequired[int]
    ld_vectors: NotRequired[int]
    duration_ms: NotRequired[float]
    warnings: NotRequired[list[str]]


class Line3(TypedDict):
    price: str
    amount: float


class Posting2(TypedDict):
    kind: Literal['credit', 'charge', 'refund']
    id: str
    charge_id: NotRequired[str]
    amount: float
    lines: list[Line3]


class HistoryEntry(TypedDict):
    at: str
    event: str
    event_id: str
    hash: str
    actor: str
    request_id: NotRequired[str]
    correlation_id: NotRequired[str]
    operation: NotRequired[str]
    batch_id: NotRequired[str]
    job_id: NotRequired[str]
    media_ids: list[str]
    filename: NotRequired[str]
    media_type: NotRequired[MediaType]
    format: NotRequired[str]
    size_bytes: NotRequired[int]
    sha256: NotRequired[str]
    collection: NotRequired[str]
    understanding: NotRequired[Understanding]
    posting: NotRequired[Posting2]
    cost: NotRequired[float]
    reason: NotRequired[str]


class Pagination6(TypedDict):
    page: int
    page_size: int
    total_items: int
    total_pages: int
    has_next: bool


class ReadMediaHistoryData(TypedDict):
    media_id: str
    state: Literal['stored', 'deleted', 'absent']
    erased: bool
    entries: list[HistoryEntry]
    pagination: Pagination6


class Item2(TypedDict):
    media_id: str
    state: Literal['stored', 'absent']
    filename: NotRequired[str]
    collection: NotRequired[str]


class ReadRequestData(TypedDict):
    request_id: str
    first_at: str
    last_at: str
    batch_id: NotRequired[str]
    charged: float
    refunded: float
    items: list[Item2]
    entries: list[HistoryEntry]
    pagination: Pagination6


class OpenAccountRequest(TypedDict, closed=True):
    name: str
    tier: NotRequired[Literal['free', 'standard', 'enterprise']]
    credit: NotRequired[float | str]


class Account1(TypedDict):
    account_id: str
    name: str
    tier: Literal['free', 'standard', 'enterprise']
    balance: float | None
    payment_status: Literal['active', 'suspended', 'closed']
    created_at: str


class ListAccountsData(TypedDict):
    accounts: list[Account1]
    pagination: Pagination6


class CreditAccountRequest(TypedDict, closed=True):
    amount: float | str
    reference: NotRequired[str]


class CreditAccountData(TypedDict):
    account_id: str
    balance: float


class ChangeTierRequest(TypedDict, closed=True):
    tier: Literal['free', 'standard', 'enterprise']


class ChangeTierData(TypedDict):
    account_id: str
    tier: Literal['free', 'standard', 'enterprise']


class ChangeStateRequest(TypedDict, closed=True):
    state: Literal['active', 'suspended']


class ChangeStateData(TypedDict):
    account_id: str
    payment_status: Literal['active', 'suspended', 'closed']


class IssueKeyRequest(TypedDict, closed=True):
    label: NotRequired[str]
    capabilities: NotRequired[list[Literal['read', 'write', 'delete']]]
    expires_at: NotRequired[str | None]


class IssueKeyData(TypedDict):
    key_id: str
    api_key: str


class Key(TypedDict):
    key_id: str
    label: str
    capabilities: list[Literal['read', 'write', 'delete']]
    created_at: str
    expires_at: str | None
    old_key_valid_until: str | None
    revoked: bool


class ListKeysData(TypedDict):
    keys: list[Key]


class RevokeKeyData(TypedDict):
    key_id: str
    revoked: Literal[True]


class RotateKeyRequest(TypedDict, closed=True):
    grace_seconds: NotRequired[int]


class RotateKeyData(TypedDict):
    key_id: str
    api_key: str
    old_key_valid_until: str


class Embedder(TypedDict):
    """
    The one that is configured: it embeds whatever is uploaded from now on.
    """

    model: str
    dimensions: int
    cosine_floor: float


class Model1(TypedDict):
    model: str
    items: int
    vectors: int
    accounts: int
    found_by: Literal['meaning', 'words']


class Embeddings(TypedDict):
    embedder: Embedder
    pending_items: int
    models: list[Model1]


class StartOperationRequest1(TypedDict, closed=True):
    kind: Literal['projections-rebuild']
    name: Literal['catalog', 'accounts', 'usage', 'work', 'batches', 'history']


class StartOperationRequest2(TypedDict, closed=True):
    kind: Literal['projections-verify']
    name: NotRequired[Literal['catalog', 'accounts', 'usage', 'work', 'batches', 'history']]


class StartOperationRequest3(TypedDict, closed=True):
    kind: Literal['log-verify']


class StartOperationRequest4(TypedDict, closed=True):
    kind: Literal['log-scavenge']


class StartOperationRequest5(TypedDict, closed=True):
    kind: Literal['log-scavenge-stop']


class StartOperationRequest6(TypedDict, closed=True):
    kind: Literal['audit-verify']
    checkpoint: NotRequired[str]


class StartOperationRequest7(TypedDict, closed=True):
    kind: Literal['audit-erasure']
    erasure_id: str
    receipt: NotRequired[str]


class StartOperationRequest8(TypedDict, closed=True):
    kind: Literal['embeddings-migrate']


class StartOperationRequest9(TypedDict, closed=True):
    kind: Literal['audit-reprice']
    prices: dict[str, float | str]
    from_: NotRequired[str]
    to: NotRequired[str]
    account_id: NotRequired[str]


StartOperationRequest: TypeAlias = StartOperationRequest1 | StartOperationRequest2 | StartOperationRequest3 | StartOperationRequest4 | StartOperationRequest5 | StartOperationRequest6 | StartOperationRequest7 | StartOperationRequest8 | StartOperationRequest9


class Progress1(TypedDict):
    ratio: float
    message: str


class Operation(TypedDict):
    operation_id: str
    kind: str
    parameters: dict[str, Any]
    status: Literal['running', 'succeeded', 'failed']
    progress: Progress1
    result: dict[str, Any] | None
    error: str | None
    started_at: str
    ended_at: str | None


class ListOperationsData(TypedDict):
    operations: list[Operation]


class Checkpoint(TypedDict):
    size: int
    root: str
    note: str
    key: str


class Leaf(TypedDict):
    position: int
    stream: str
    revision: int
    hash: str


class Proof1(TypedDict):
    index: int
    leaf: Leaf
    hashes: list[str]
    event: dict[str, Any] | None


class EventProofs(TypedDict):
    checkpoint: str
    key: str
    proofs: list[Proof1]


class Head(TypedDict):
    """
    Of the last event: all before it are proven by the chain of hashes.
    """

    index: int
    leaf: Leaf
    hashes: list[str]


class Consistency(TypedDict):
    """
    That the checkpoint of that size is the beginning of this one; null if not asked for.
    """

    from_: int
    hashes: list[str]


class LedgerProofHead(TypedDict):
    format: Literal['medialog ledger proof 1']
    account_id: str
    stream: str
    events: int
    checkpoint: str
    key: str
    head: Head
    consistency: Consistency | None


class ConsistencyProof(TypedDict):
    from_: int
    to: int
    hashes: list[str]


class ReadCheckpointKeyData(TypedDict):
    key: str
    former_keys: list[str]
    handovers: list[str]


class HealthzData(TypedDict):
    status: Literal['ok']
    software_version: str


class ReadyzData(TypedDict):
    status: Literal['operational', 'degraded', 'critical']
    components: dict[str, str]


class UploadMediaInput(TypedDict, closed=True):
    include_vectors: NotRequired[bool]
    file: FileSource
    force_overwrite: NotRequired[bool]
    collection_id: NotRequired[str]


class ListMediaInput(TypedDict, closed=True):
    page: NotRequired[int]
    page_size: NotRequired[int]
    media_type: NotRequired[MediaType]
    collection: NotRequired[str]
    include_vectors: NotRequired[bool]
    after: NotRequired[str]
    as_of: NotRequired[str]


class ReadMediaInput(TypedDict, closed=True):
    media_id: NotRequired[str]
    include_vectors: NotRequired[bool]
    include_chunks: NotRequired[bool]
    include_metadata: NotRequired[bool]


class DeleteMediaInput(TypedDict, closed=True):
    media_id: NotRequired[str]
    receipt: NotRequired[bool]


class DeleteMediaBatchInput(TypedDict, closed=True):
    receipt: NotRequired[bool]
    media_ids: list[MediaId]
    reason: NotRequired[str]


class ReadErasureInput(TypedDict, closed=True):
    erasure_id: NotRequired[str]


class ReadAnyErasureInput(TypedDict, closed=True):
    erasure_id: NotRequired[str]


class BatchOptions(TypedDict, closed=True):
    """
    As JSON. The form’s own fields win.
    """

    force_overwrite: NotRequired[bool]
    collection_id: NotRequired[str]
    batch_name: NotRequired[str]


class CreateBatchInput(TypedDict, closed=True):
    file: list[FileSource]
    force_overwrite: NotRequired[bool]
    collection_id: NotRequired[str]
    batch_options: NotRequired[BatchOptions]


class ListBatchesInput(TypedDict, closed=True):
    page: NotRequired[int]
    page_size: NotRequired[int]
    status: NotRequired[Literal['created', 'running', 'completed', 'failed', 'cancelled']]


class ReadBatchInput(TypedDict, closed=True):
    batch_id: NotRequired[str]


class ReadBatchResultsInput(TypedDict, closed=True):
    batch_id: NotRequired[str]
    page: NotRequired[int]
    page_size: NotRequired[int]


class CancelBatchInput(TypedDict, closed=True):
    batch_id: NotRequired[str]


class Entities3(TypedDict, closed=True):
    """
    Every kind given must match, any of its names, in any case.
    """

    people: NotRequired[list[Person]]
    organizations: NotRequired[list[Organization]]
    locations: NotRequired[list[Location]]
    objects: NotRequired[list[Object]]
    concepts: NotRequired[list[Concept]]


class Filters2(TypedDict, closed=True):
    media_type: NotRequired[MediaType | list[MediaType]]
    created_after: NotRequired[str]
    created_before: NotRequired[str]
    topics: NotRequired[list[Topic]]
    entities: NotRequired[Entities3]


class Modality2(TypedDict, closed=True):
    """
    Raises items of `type` that have all `features`; nothing is dropped.
    """

    type: MediaType
    weight: NotRequired[float]
    features: NotRequired[list[Feature]]


class SearchInput(TypedDict, closed=True):
    query: str
    type: NotRequired[Literal['basic', 'advanced']]
    collections: NotRequired[str | list[Collection]]
    max_results: NotRequired[int]
    min_score: NotRequired[float]
    config: NotRequired[Config]
    filters: NotRequired[Filters2]
    modality: NotRequired[Modality2]


class FindSimilarInput(TypedDict, closed=True):
    media_id: str
    collections: NotRequired[str | list[Collection]]
    max_results: NotRequired[int]
    min_score: NotRequired[float]
    cluster: NotRequired[bool]
    include_reference: NotRequired[bool]
    modality_filter: NotRequired[MediaType | None]


class AskInput(TypedDict, closed=True):
    query: str
    media_id: NotRequired[str]
    collections: NotRequired[str | list[Collection]]
    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    system_prompt: NotRequired[str]
    context: NotRequired[str]
    stream: NotRequired[bool]


class AnalyzeFileInput(TypedDict, closed=True):
    file: FileSource
    query: str
    system_prompt: NotRequired[str]
    response_format: NotRequired[Literal['text', 'json']]
    media_type: NotRequired[MediaType]


class ListCollectionsInput(TypedDict, closed=True):
    pass


class ReadCollectionInput(TypedDict, closed=True):
    collection_id: NotRequired[str]


class DeleteCollectionInput(TypedDict, closed=True):
    collection_id: NotRequired[str]
    receipt: NotRequired[bool]


Item3: TypeAlias = str


class MoveItemsInput(TypedDict, closed=True):
    collection_id: NotRequired[str]
    items: list[Item3]


class ReadStatusInput(TypedDict, closed=True):
    pass


class ListOwnKeysInput(TypedDict, closed=True):
    pass


class ReadUsageInput(TypedDict, closed=True):
    start_time: NotRequired[str]
    end_time: NotRequired[str]
    group_by: NotRequired[Literal['day', 'hour', 'month']]
    detailed: NotRequired[bool]
    as_of: NotRequired[str]


class ReadLedgerInput(TypedDict, closed=True):
    from_: NotRequired[str]
    until: NotRequired[str]
    month: NotRequired[str]
    as_of: NotRequired[str]
    page: NotRequired[int]
    page_size: NotRequired[int]


class ReadStatementInput(TypedDict, closed=True):
    month: NotRequired[str]
    format: NotRequired[Literal['json', 'csv', 'html']]


class ReadUsageDiffInput(TypedDict, closed=True):
    from_: NotRequired[str]
    to: NotRequired[str]


class ReadAccountLedgerInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    from_: NotRequired[str]
    until: NotRequired[str]
    month: NotRequired[str]
    as_of: NotRequired[str]
    page: NotRequired[int]
    page_size: NotRequired[int]


class ReadAccountStatementInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    month: NotRequired[str]
    format: NotRequired[Literal['json', 'csv', 'html']]


class FollowEventsInput(TypedDict, closed=True):
    after: NotRequired[str]
    types: NotRequired[str]


class AddWebhookInput(TypedDict, closed=True):
    url: str
    types: NotRequired[list[Type]]


class ListWebhooksInput(TypedDict, closed=True):
    pass


class ReadWebhookInput(TypedDict, closed=True):
    webhook_id: NotRequired[str]


class ChangeWebhookInput(TypedDict, closed=True):
    webhook_id: NotRequired[str]
    url: NotRequired[str]
    types: NotRequired[list[Type]]
    paused: NotRequired[bool]


class RemoveWebhookInput(TypedDict, closed=True):
    webhook_id: NotRequired[str]


class RotateWebhookSecretInput(TypedDict, closed=True):
    webhook_id: NotRequired[str]


class ReplayWebhookInput(TypedDict, closed=True):
    webhook_id: NotRequired[str]
    after: str


class TestWebhookInput(TypedDict, closed=True):
    webhook_id: NotRequired[str]


class ListDeliveriesInput(TypedDict, closed=True):
    webhook_id: NotRequired[str]
    status: NotRequired[Literal['pending', 'delivered', 'dead', 'erased']]
    page: NotRequired[int]
    page_size: NotRequired[int]


class ResendDeliveryInput(TypedDict, closed=True):
    webhook_id: NotRequired[str]
    delivery_id: NotRequired[str]


class ReadMediaHistoryInput(TypedDict, closed=True):
    media_id: NotRequired[str]
    page: NotRequired[int]
    page_size: NotRequired[int]


class ReadRequestInput(TypedDict, closed=True):
    request_id: NotRequired[str]
    page: NotRequired[int]
    page_size: NotRequired[int]


class OpenAccountInput(TypedDict, closed=True):
    name: str
    tier: NotRequired[Literal['free', 'standard', 'enterprise']]
    credit: NotRequired[float | str]


class ListAccountsInput(TypedDict, closed=True):
    page: NotRequired[int]
    page_size: NotRequired[int]


class ReadAccountInput(TypedDict, closed=True):
    account_id: NotRequired[str]


class CloseAccountInput(TypedDict, closed=True):
    account_id: NotRequired[str]


class CreditAccountInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    amount: float | str
    reference: NotRequired[str]


class ChangeTierInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    tier: Literal['free', 'standard', 'enterprise']


class ChangeStateInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    state: Literal['active', 'suspended']


class IssueKeyInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    label: NotRequired[str]
    capabilities: NotRequired[list[Literal['read', 'write', 'delete']]]
    expires_at: NotRequired[str | None]


class ListKeysInput(TypedDict, closed=True):
    account_id: NotRequired[str]


class RevokeKeyInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    key_id: NotRequired[str]


class RotateKeyInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    key_id: NotRequired[str]
    grace_seconds: NotRequired[int]


class ReadEmbeddingsInput(TypedDict, closed=True):
    pass


class ListOperationsInput(TypedDict, closed=True):
    pass


class ReadOperationInput(TypedDict, closed=True):
    operation_id: NotRequired[str]


class MakeCheckpointInput(TypedDict, closed=True):
    pass


class ReadEventProofsInput(TypedDict, closed=True):
    subject: str


class ReadOwnEventProofsInput(TypedDict, closed=True):
    subject: str


class ReadLedgerProofInput(TypedDict, closed=True):
    since: NotRequired[int]


class ReadAccountLedgerProofInput(TypedDict, closed=True):
    account_id: NotRequired[str]
    since: NotRequired[int]


class ReadConsistencyProofInput(TypedDict, closed=True):
    from_: int
    to: int


class ReadCheckpointKeyInput(TypedDict, closed=True):
    pass


class HealthzInput(TypedDict, closed=True):
    pass


class ReadyzInput(TypedDict, closed=True):
    pass


class MetricsInput(TypedDict, closed=True):
    pass


class OpenapiInput(TypedDict, closed=True):
    pass


class AsyncapiInput(TypedDict, closed=True):
    pass


class DocsInput(TypedDict, closed=True):
    pass


class FileDetails(TypedDict):
    filename: str
    size_bytes: int
    checksum: str
    media_type: MediaType
    page_count: NotRequired[int]
    word_count: NotRequired[int]
    dimensions: NotRequired[Dimensions | Dimensions1]
    color_mode: NotRequired[str]
    duration: NotRequired[float]
    resolution: NotRequired[str]
    frame_rate: NotRequired[float]
    sample_rate: NotRequired[float]
    channels: NotRequired[int]
    vertex_count: NotRequired[int]
    material_count: NotRequired[int]


class UploadResult(TypedDict):
    media_id: str
    media_type: MediaType
    status: Literal['completed', 'processing', 'failed']
    processing_info: ProcessingInfo
    content_summary: ContentSummary
    file_details: FileDetails
    storage_info: StorageInfo
    balance_info: BalanceInfo
    processing: Processing
    vectors: NotRequired[Vectors]


class MediaMetadata(TypedDict):
    search: SearchMetadata
    processing: Processing1
    modality: Modality


class MediaItem(TypedDict):
    id: str
    media_id: str
    media_type: MediaType
    collection: str
    status: Status2
    storage: Storage
    file_info: FileInfo2
    metadata: NotRequired[MediaMetadata]
    content: NotRequired[Content]
    vectors: NotRequired[Vectors2]


class Erasure(TypedDict):
    erasure_id: str
    status: Literal['pending', 'erased']
    requested_at: str
    ingests: int
    receipt: ErasureReceipt | None
    note: str | None
    key: str | None


class DeleteMediaData(TypedDict):
    media_id: str
    deletion_status: Literal['completed']
    successful: bool
    erasure: NotRequired[Erasure]


class DeleteMediaBatchData(TypedDict):
    deleted: Deleted
    failed: Failed
    erasure: NotRequired[Erasure]


class BatchResults(TypedDict):
    batch_summary: BatchSummary
    job_results: list[JobResult]
    statistics: Statistics
    pagination: Pagination2


class SearchResult(TypedDict):
    media_id: str
    media_type: MediaType
    score: float
    relevance_explanation: str
    score_parts: ScoreParts
    collection: str
    passage: Passage
    metadata: Metadata
    context_depth: int
    expansion_path: list[ExpansionStep]
    cross_modal_connections: list[CrossModalConnection]


class SearchData(TypedDict):
    results: list[SearchResult]
    meta: Meta
    cost: float


class DeleteCollectionData(TypedDict):
    collection_id: str
    deleted_items: int
    storage_info: StorageInfo1
    erasure: NotRequired[Erasure]


class CloseAccountData(TypedDict):
    account_id: str
    payment_status: Literal['closed']
    balance: float | None
    erasure: Erasure


class ListedMediaItem(TypedDict):
    id: str
    media_id: str
    media_type: MediaType
    collection: str
    status: Status
    storage: Storage
    file_info: FileInfo
    metadata: MediaMetadata
    vectors: NotRequired[Vectors]


class ListMediaData(TypedDict):
    items: list[ListedMediaItem | ChangedMediaItem | ErasedMediaItem]
    as_of: NotRequired[str]
    undated: NotRequired[int]
    pagination: Pagination
    filters: Filters
