// Made from the contract by `npm run contract`: not to be changed by hand.
import type { Declared } from './declared.ts'
import type { FileSource } from './file-source.ts'

export type MediaType = 'document' | 'image' | 'video' | 'audio' | 'model'
export type StartOperationRequest =
  | {
      kind: 'projections-rebuild'
      name: 'catalog' | 'accounts' | 'usage' | 'work' | 'batches' | 'history'
    }
  | {
      kind: 'projections-verify'
      /**
       * All of them, unless one is named.
       */
      name?: 'catalog' | 'accounts' | 'usage' | 'work' | 'batches' | 'history'
    }
  | {
      kind: 'log-verify'
    }
  | {
      kind: 'log-scavenge'
    }
  | {
      kind: 'log-scavenge-stop'
    }
  | {
      kind: 'audit-verify'
      /**
       * A signed note that was exported.
       */
      checkpoint?: string
    }
  | {
      kind: 'audit-erasure'
      /**
       * Of a receipt: every store is asked for what it names.
       */
      erasure_id: string
      /**
       * The receipt’s note: of an erasure that the log does not have, since it was restored from before, what the note names is looked for.
       */
      receipt?: string
    }
  | {
      kind: 'embeddings-migrate'
    }
  | {
      kind: 'audit-reprice'
      /**
       * USD by price key; those that are not named stay as they are.
       */
      prices: {
        /**
         * USD, at most nine decimals.
         */
        [k: string]: number | string
      }
      /**
       * Charges made from then on.
       */
      from?: string
      /**
       * And before then.
       */
      to?: string
      /**
       * Of one account alone.
       */
      account_id?: string
    }

export interface UploadResult {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  media_type: MediaType
  status: 'completed' | 'processing' | 'failed'
  processing_info: {
    started_at: string
    completed_at: string
    job_id: string
  }
  content_summary: {
    summary: string
    description: string
    topics: string[]
    keywords: string[]
    categories: string[]
    emotions: string[]
    entities: {
      people: string[]
      organizations: string[]
      locations: string[]
      concepts: string[]
      objects: string[]
    }
    quality: {
      clarity: number
      completeness: number
      relevance: number
      technical: number
    }
  }
  file_details: {
    filename: string
    size_bytes: number
    /**
     * SHA-256, hex.
     */
    checksum: string
    media_type: MediaType
    /**
     * Of a document whose format has pages; absent elsewhere.
     */
    page_count?: number
    word_count?: number
    dimensions?:
      | {
          width: number
          height: number
        }
      | {
          x: number
          y: number
          z: number
        }
    color_mode?: string
    /**
     * Seconds.
     */
    duration?: number
    /**
     * Width x height in pixels.
     */
    resolution?: string
    frame_rate?: number
    /**
     * Hertz.
     */
    sample_rate?: number
    channels?: number
    vertex_count?: number
    material_count?: number
  }
  storage_info: {
    collection: string
    vectors_stored: number
    /**
     * ISO 8601, UTC, milliseconds.
     */
    stored_at: string
  }
  balance_info: {
    /**
     * USD, exact to nine decimals.
     */
    previous_balance: number
    /**
     * USD, exact to nine decimals.
     */
    cost: number
    /**
     * USD, exact to nine decimals.
     */
    new_balance: number
  }
  processing: {
    /**
     * What made it: models of providers by name, methods in the box with their version.
     */
    models: {
      enrichment: string
      vision?: string
      transcription?: string
    }
    /**
     * What could not be read, was left out, or was made otherwise than configured.
     */
    warnings: string[]
  }
  vectors?: {
    /**
     * Unit length.
     */
    combined: number[]
    dimensions: number
    model: string
  }
}
export interface ErrorDetails {
  /**
   * By which the operator finds the request in the log.
   */
  request_id?: string
  [k: string]: unknown
}
export interface ListedMediaItem {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  id: string
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  media_type: MediaType
  collection: string
  status: {
    state: 'completed' | 'processing' | 'failed'
    processing_info: {
      /**
       * ISO 8601, UTC, milliseconds.
       */
      completed_at: string
      duration_ms: number
    }
  }
  storage: {
    /**
     * ISO 8601, UTC, milliseconds.
     */
    created_at: string
  }
  file_info: {
    filename: string
    size_bytes: number
    /**
     * SHA-256, hex.
     */
    checksum: string
    /**
     * Of a document whose format has pages; absent elsewhere.
     */
    page_count?: number
  }
  metadata: MediaMetadata
  vectors?: {
    /**
     * Unit length.
     */
    combined: number[]
    dimensions: number
    model: string
  }
}
export interface MediaMetadata {
  search: SearchMetadata
  processing: {
    /**
     * What made it: models of providers by name, methods in the box with their version.
     */
    models: {
      enrichment: string
      vision?: string
      transcription?: string
    }
    /**
     * What could not be read, was left out, or was made otherwise than configured.
     */
    warnings: string[]
  }
  modality: {
    formatting: {
      original_format: string
      structure_type: string
      was_truncated: boolean
    }
    structure: {
      has_figures: boolean
      has_tables: boolean
      /**
       * Of a document whose format has pages; absent elsewhere.
       */
      page_count?: number
      /**
       * The first 200, their titles cut at 200 characters.
       */
      sections: {
        title: string
        level: number
        content_type: string
      }[]
    }
    visual_attributes?: {
      dominant_colors: {
        hex: string
        name: string
        share: number
      }[]
      exif: {
        [k: string]: string | number
      }
      frame_count?: number
      /**
       * What it looks like by measure of its pixels.
       */
      kind?: 'photo' | 'drawing' | 'screenshot' | 'scan' | 'icon'
      kind_confidence?: number
      /**
       * What a vision model sees, where one looked.
       */
      description?: string
      scene_type?: string
      visual_elements?: string[]
      /**
       * Of the preview in `content`, in pixels; absent where none is kept.
       */
      preview?: {
        width: number
        height: number
      }
    }
    /**
     * Words of the text that were read from pictures (OCR); absent where none were.
     */
    text_recognition?: {
      method: string
      languages: string[]
      words: number
      /**
       * Read, but too uncertain to be kept.
       */
      words_left_out: number
      /**
       * Mean over the words that were kept, as the method measures it.
       */
      confidence: number
      /**
       * Whose words were read from pictures; absent where there are no pages.
       */
      pages?: number[]
    }
    /**
     * Of a video: a frame of each scene, at most 12. Absent where the pictures cannot be decoded.
     */
    key_frames?: {
      /**
       * Seconds from the beginning.
       */
      timestamp: number
      dominant_colors: {
        hex: string
        name: string
        share: number
      }[]
      /**
       * Mean luma: 0 is black, 1 is white.
       */
      brightness: number
      kind: 'plain' | 'drawing' | 'photo'
    }[]
    stream_attributes?: {
      codec?: string
      bit_rate?: number
      /**
       * Of sound that can be decoded.
       */
      loudness?: {
        /**
         * ITU-R BS.1770; null for silence.
         */
        integrated_lufs: number | null
        /**
         * The largest sample; null where all are 0.
         */
        peak_dbfs: number | null
        /**
         * Of the time, below −60 dBFS.
         */
        silence_share: number
      }
      tags: {
        [k: string]: string
      }
    }
    model_attributes?: {
      triangle_count: number
      materials: string[]
      parts: string[]
      colors?: {
        hex: string
        name: string
      }[]
    }
  }
}
export interface SearchMetadata {
  summary: string
  description: string
  keywords: string[]
  semantic_markers: {
    categories: string[]
    emotions: string[]
    topics: string[]
  }
  entities: {
    people: string[]
    organizations: string[]
    locations: string[]
    concepts: string[]
  }
  quality_metrics: {
    clarity: number
    completeness: number
    relevance: number
    technical: number
  }
}
/**
 * What the log still says of it; the rest is absent.
 *
 */
export interface ChangedMediaItem {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  id: string
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  media_type: MediaType
  storage: {
    /**
     * ISO 8601, UTC, milliseconds.
     */
    created_at: string
  }
  /**
   * It was replaced since: what was understood of it then is erased.
   */
  changed_since: true
  collection?: string
  status?: {
    state: 'completed' | 'processing' | 'failed'
    processing_info: {
      /**
       * ISO 8601, UTC, milliseconds.
       */
      completed_at: string
      duration_ms: number
    }
  }
  file_info?: {
    filename: string
    size_bytes: number
    /**
     * SHA-256, hex.
     */
    checksum: string
  }
}
/**
 * Erased since: that it was there, and nothing of what it was.
 *
 */
export interface ErasedMediaItem {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  id: string
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  media_type: MediaType
  storage: {
    /**
     * ISO 8601, UTC, milliseconds.
     */
    created_at: string
  }
  erased: true
  /**
   * ISO 8601, UTC, milliseconds.
   */
  erased_at: string
}
export interface ListMediaData {
  /**
   * The last two with `as_of` alone.
   */
  items: (ListedMediaItem | ChangedMediaItem | ErasedMediaItem)[]
  /**
   * ISO 8601, UTC, milliseconds.
   */
  as_of?: string
  /**
   * With `as_of`: items erased since, by an earlier release, of which it is not known whether they were there.
   */
  undated?: number
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
    has_next: boolean
    /**
     * What `after` takes for the next page; absent at the end, and with `as_of`.
     */
    next?: string
  }
  filters: {
    applied: {
      media_type?: MediaType
      collection?: string
    }
    total_matching: number
  }
}
export interface MediaItem {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  id: string
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  media_type: MediaType
  collection: string
  status: {
    state: 'completed' | 'processing' | 'failed'
    processing_info: {
      /**
       * ISO 8601, UTC, milliseconds.
       */
      completed_at: string
      duration_ms: number
    }
  }
  storage: {
    /**
     * ISO 8601, UTC, milliseconds.
     */
    created_at: string
  }
  file_info: {
    filename: string
    size_bytes: number
    /**
     * SHA-256, hex.
     */
    checksum: string
    /**
     * ISO 8601, UTC, milliseconds.
     */
    processed_at: string
    /**
     * Of a document whose format has pages; absent elsewhere.
     */
    page_count?: number
    word_count?: number
    dimensions?:
      | {
          width: number
          height: number
        }
      | {
          x: number
          y: number
          z: number
        }
    color_mode?: string
    /**
     * Seconds.
     */
    duration?: number
    /**
     * Width x height in pixels.
     */
    resolution?: string
    frame_rate?: number
    /**
     * Hertz.
     */
    sample_rate?: number
    channels?: number
    vertex_count?: number
    material_count?: number
  }
  metadata?: MediaMetadata
  /**
   * Chunk 0 is the item’s head: file name, title, keywords, and a summary that does not quote the text.
   */
  content?: {
    text: string
    chunks: string[]
    summary: string
    /**
     * Pictures of a video’s key frames, in the order of `metadata.modality.key_frames`.
     */
    key_frames?: {
      /**
       * Seconds from the beginning.
       */
      timestamp: number
      /**
       * A `data:` URI: a JPEG, at most 320 pixels wide and high.
       */
      thumbnail: string
    }[]
    /**
     * Of an image, where previews are kept: a `data:` URI, a JPEG of at most 256 pixels wide and high.
     */
    preview?: string
    /**
     * Of a recording or film, where its speech was written down by a model: its text.
     */
    transcript?: string
    /**
     * What the transcript says when.
     */
    segments?: {
      /**
       * Seconds from the beginning.
       */
      start: number
      /**
       * Seconds from the beginning.
       */
      end: number
      text: string
      /**
       * How sure the model was of it, where it says that.
       */
      confidence?: number
    }[]
  }
  vectors?: {
    /**
     * Unit length.
     */
    combined: number[]
    dimensions: number
    model: string
    chunks: number[][]
  }
}
export interface Erasure {
  erasure_id: string
  status: 'pending' | 'erased'
  /**
   * ISO 8601, UTC, milliseconds.
   */
  requested_at: string
  /**
   * Named so far. Those of a collection are named as they are erased.
   */
  ingests: number
  /**
   * Null while it is pending.
   */
  receipt: ErasureReceipt | null
  /**
   * A signed note that holds the receipt, signed as checkpoints are. Null while it is pending, and where processes share the log.
   */
  note: string | null
  /**
   * The public key that proves it.
   */
  key: string | null
}
export interface ErasureReceipt {
  erasure_id: string
  account_id: string
  subject: {
    kind: 'items' | 'collection' | 'account'
    collection?: string
  }
  /**
   * ISO 8601, UTC, milliseconds.
   */
  requested_at: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  erased_at: string
  ingests: number
  /**
   * SHA-256 over the ids of the ingests, sorted, a line each.
   */
  digest: string
  items: {
    /**
     * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
     */
    media_id: string
    ingest_id: string
    /**
     * Of the file.
     */
    sha256: string
    /**
     * SHA-256 of what was kept of it, by name.
     */
    artifacts: {
      [k: string]: string
    }
  }[]
  stores: {
    store: string
    /**
     * How it was erased there, and what stays.
     */
    how: string
  }[]
  /**
   * Says in the log that it is done; its place there can be proven.
   */
  event: {
    stream: string
    revision: number
    hash: string
  }
}
export interface DeleteMediaData {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  deletion_status: 'completed'
  successful: boolean
  erasure?: Erasure
}
export interface DeleteMediaBatchRequest {
  /**
   * @minItems 1
   * @maxItems 100
   *
   * Items: Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_ids: string[]
  reason?: string
}
export interface DeleteMediaBatchData {
  deleted: {
    count: number
    /**
     * Items: Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
     */
    media_ids: string[]
    hd_vectors: number
    ld_vectors: number
  }
  failed: {
    count: number
    media_ids: string[]
    reasons: {
      [k: string]: string
    }
  }
  erasure?: Erasure
}
export interface BatchCreation {
  batch_id: string
  status: 'created'
  total_items: number
  /**
   * ISO 8601, UTC, milliseconds.
   */
  created_at: string
  estimated_completion_seconds: number
  /**
   * ISO 8601, UTC, milliseconds.
   */
  estimated_completion: string
  collection: string
  /**
   * What was charged; duplicates that were known are free.
   */
  cost_estimate: {
    /**
     * USD, exact to nine decimals.
     */
    total: number
    breakdown: {
      processing: {
        /**
         * USD, exact to nine decimals.
         */
        document: number
        /**
         * USD, exact to nine decimals.
         */
        image: number
        /**
         * USD, exact to nine decimals.
         */
        video: number
        /**
         * USD, exact to nine decimals.
         */
        audio: number
        /**
         * USD, exact to nine decimals.
         */
        model: number
      }
      /**
       * USD, exact to nine decimals.
       */
      storage: number
    }
  }
  settings: {
    force_overwrite: boolean
    collection_id: string
    media_count: number
  }
}
export interface Batch {
  batch_id: string
  batch_name?: string
  status: 'created' | 'running' | 'completed' | 'failed' | 'cancelled'
  collection: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  created_at: string
  started_at: string | null
  /**
   * When it completed, failed or was cancelled.
   */
  completed_at: string | null
  total_items: number
  progress: {
    successful: number
    /**
     * Duplicates: free.
     */
    skipped: number
    failed: number
    pending: number
    processing: number
    percent: number
  }
  cost: {
    /**
     * USD, exact to nine decimals.
     */
    charged: number
    /**
     * USD, exact to nine decimals.
     */
    refunded: number
    /**
     * USD, exact to nine decimals.
     */
    net: number
  }
  /**
   * By measured times; null once it has ended.
   */
  estimated_completion: string | null
  /**
   * Files at work that take long, as recordings do. Not in lists.
   */
  processing_jobs?: {
    job_id: string
    filename?: string
    /**
     * How much of the file was worked on.
     */
    percent: number
  }[]
}
export interface ListBatchesData {
  batches: Batch[]
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
    has_next: boolean
  }
}
export interface BatchResults {
  batch_summary: {
    batch_id: string
    batch_name?: string
    collection: string
    status: 'created' | 'running' | 'completed' | 'failed' | 'cancelled'
    timeline: {
      /**
       * ISO 8601, UTC, milliseconds.
       */
      created_at: string
      started_at: string | null
      completed_at: string | null
      /**
       * From its start to its end.
       */
      total_duration_seconds: number | null
    }
    completion: {
      /**
       * Stored, or duplicates.
       */
      successful: number
      failed: number
      total_items: number
      completion_rate: number
    }
  }
  /**
   * Files that are done, in the order in which they were sent.
   */
  job_results: JobResult[]
  statistics: {
    media_distribution: {
      by_type: {
        [k: string]: number
      }
      /**
       * Newly stored.
       */
      total_created_media_items: number
      media_ids_by_type: {
        /**
         * Items: Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
         */
        [k: string]: string[]
      }
    }
    completion: {
      successful: number
      failed: number
      total: number
      success_rate: number
    }
    resources: {
      total_files_size_bytes: number
      total_files_size_mb: number
    }
    error_summary?: {
      error_type:
        | 'validation_error'
        | 'format_error'
        | 'corrupted_file'
        | 'processing_error'
        | 'storage_error'
        | 'timeout_error'
        | 'resource_error'
        | 'quota_exceeded'
        | 'cancelled'
      count: number
      affected_files: string[]
      resolution: string
    }[]
  }
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
  }
}
export interface JobResult {
  job_id: string
  /**
   * `vec-<uuid>`; null for a failed file.
   */
  media_id: string | null
  /**
   * Until the item is deleted: that erases its name.
   */
  filename?: string
  media_type: MediaType
  /**
   * `processed`: a duplicate that was skipped; media_id is the item that was there.
   */
  status: 'succeeded' | 'failed' | 'processed'
  file_info: {
    size_bytes: number
    size_mb: number
  }
  processing_info: {
    /**
     * ISO 8601, UTC, milliseconds.
     */
    created_at: string
    /**
     * ISO 8601, UTC, milliseconds.
     */
    completed_at: string
  }
  error?: {
    message: string
    code:
      | 'validation_error'
      | 'format_error'
      | 'corrupted_file'
      | 'processing_error'
      | 'storage_error'
      | 'timeout_error'
      | 'resource_error'
      | 'quota_exceeded'
      | 'cancelled'
    details: {
      filename?: string
      resolution: string
    }
  }
}
export interface CancelBatchData {
  batch_id: string
  previous_state: 'created' | 'running' | 'completed' | 'failed' | 'cancelled'
  current_state: 'created' | 'running' | 'completed' | 'failed' | 'cancelled'
  /**
   * ISO 8601, UTC, milliseconds.
   */
  timestamp: string
}
export interface SearchRequest {
  query: string
  type?: 'basic' | 'advanced'
  /**
   * One collection’s id, a list of them, or `all`: every one.
   */
  collections?: string | string[]
  max_results?: number
  min_score?: number
  config?: {
    /**
     * Higher favours words, lower favours meaning.
     */
    lexical_weight?: number
    /**
     * Advanced only: how many levels of connections are followed, each for its price.
     */
    context_depth?: number
    /**
     * Advanced only: how many connections of an item are followed, rounded up.
     */
    expansion_factor?: number
  }
  filters?: {
    media_type?: MediaType | MediaType[]
    /**
     * Any ISO 8601 date or time; without a zone it is UTC.
     */
    created_after?: string
    /**
     * Any ISO 8601 date or time; without a zone it is UTC.
     */
    created_before?: string
    /**
     * Any of them, in any case.
     *
     * @minItems 1
     * @maxItems 100
     */
    topics?: string[]
    /**
     * Every kind given must match, any of its names, in any case.
     */
    entities?: {
      /**
       * @minItems 1
       * @maxItems 100
       */
      people?: string[]
      /**
       * @minItems 1
       * @maxItems 100
       */
      organizations?: string[]
      /**
       * @minItems 1
       * @maxItems 100
       */
      locations?: string[]
      /**
       * @minItems 1
       * @maxItems 100
       */
      objects?: string[]
      /**
       * @minItems 1
       * @maxItems 100
       */
      concepts?: string[]
    }
  }
  /**
   * Raises items of `type` that have all `features`; nothing is dropped.
   */
  modality?: {
    type: MediaType
    weight?: number
    /**
     * @maxItems 100
     */
    features?: string[]
  }
}
export interface SearchResult {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  media_type: MediaType
  /**
   * Absolute: it depends on the query, the item and what leads to it.
   */
  score: number
  relevance_explanation: string
  /**
   * What a direct match’s score is made of: lexical_weight × lexical + (1 − lexical_weight) × semantic. A connection, or `modality`, raises the score above it.
   */
  score_parts: {
    /**
     * By words.
     */
    lexical: number
    /**
     * By meaning.
     */
    semantic: number
    /**
     * Of words, for this query: more than asked for where the embedder does not read its language.
     */
    lexical_weight: number
    /**
     * Words of the query that the item holds.
     */
    matched_terms: string[]
  }
  collection: string
  /**
   * The passage that matches best.
   */
  passage: {
    text: string
    chunk: number
    /**
     * When it is said, of a recording or film where that is known.
     */
    time?: {
      /**
       * Seconds from the beginning.
       */
      start: number
      /**
       * Seconds from the beginning.
       */
      end: number
    }
  }
  metadata: {
    file_info: {
      filename: string
      size_bytes: number
      checksum: string
    }
    search_metadata: SearchMetadata
  }
  /**
   * 0: a direct match; higher: found over so many connections.
   */
  context_depth: number
  /**
   * From a direct match to the item.
   */
  expansion_path: ExpansionStep[]
  /**
   * Its strongest connections with items of other media types; in advanced search only.
   */
  cross_modal_connections: CrossModalConnection[]
}
export interface ExpansionStep {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  source_id: string
  source_filename: string
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  target_id: string
  target_filename: string
  relation_type: 'shared_entity' | 'shared_topic' | 'similar_content' | 'same_source'
  strength: number
  source_modality: MediaType
  target_modality: MediaType
  /**
   * → where a path leads that way.
   */
  symbol: '↔' | '→'
  /**
   * What is shared, in words.
   */
  relationship_type: string
}
export interface CrossModalConnection {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  target_id: string
  target_filename: string
  relation_type: 'shared_entity' | 'shared_topic' | 'similar_content' | 'same_source'
  strength: number
  source_modality: MediaType
  target_modality: MediaType
  /**
   * → where a path leads that way.
   */
  symbol: '↔' | '→'
  /**
   * What is shared, in words.
   */
  relationship_type: string
}
export interface SearchData {
  results: SearchResult[]
  meta: {
    query: string
    stats: {
      total_results: number
      query_time_ms: number
      time_ms: number
    }
    collections: {
      searched: string[]
      result_distribution: {
        [k: string]: number
      }
    }
    /**
     * Of advanced search.
     */
    cost?: {
      /**
       * USD, exact to nine decimals.
       */
      amount: number
      depth_reached: number
    }
  }
  /**
   * USD, exact to nine decimals.
   */
  cost: number
}
export interface SimilarRequest {
  /**
   * The reference item, in either form of its id.
   */
  media_id: string
  /**
   * One collection’s id, a list of them, or `all`: every one.
   */
  collections?: string | string[]
  max_results?: number
  min_score?: number
  /**
   * Groups the results by content.
   */
  cluster?: boolean
  /**
   * Whether it is the first of the results.
   */
  include_reference?: boolean
  /**
   * Of this media type only; null for any.
   */
  modality_filter?: MediaType | null
}
export interface SimilarResult {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  media_type: MediaType
  score: number
  similarity_percentage: string
  relevance_explanation: string
  collection: string
  metadata: {
    file_info: {
      filename: string
      size_bytes: number
      checksum: string
    }
    media_type: MediaType
    search_metadata: SearchMetadata
    /**
     * What only items of its type have.
     */
    modality_metadata: {
      /**
       * Of images.
       */
      visual?: {
        scene_type: string
        visual_elements: string[]
      }
    }
  }
}
export interface FindSimilarData {
  results: SimilarResult[]
  meta: {
    reference_item: {
      /**
       * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
       */
      media_id: string
      media_type: MediaType
      filename: string
      collection: string
    }
    stats: {
      total_results: number
      query_time_ms: number
      time_ms: number
    }
    collections: {
      searched: string[]
      result_distribution: {
        [k: string]: number
      }
    }
  }
  /**
   * With `cluster`.
   */
  relationships?: {
    clusters: {
      /**
       * Name to members, best first.
       */
      clusters: {
        /**
         * Items: Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
         */
        [k: string]: string[]
      }
      metadata: {
        [k: string]: {
          modality: MediaType | 'mixed'
          avg_score: number
          member_count: number
        }
      }
    }
  }
  /**
   * USD, exact to nine decimals.
   */
  cost: number
}
export interface AskRequest {
  query: string
  /**
   * Grounds the answer in that item: `vec-` and its UUID.
   */
  media_id?: string
  /**
   * Answers from items in these collections only. Not together with media_id.
   */
  collections?: string | string[]
  temperature?: number
  /**
   * The answer has at most so many tokens.
   */
  max_tokens?: number
  /**
   * Instructions for the model.
   */
  system_prompt?: string
  /**
   * Prior conversation or extra information, by which the question is understood; no answer quotes it as evidence. The caller keeps the history.
   */
  context?: string
  /**
   * The same as server-sent events.
   */
  stream?: boolean
}
export interface AnswerSource {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  filename: string
  /**
   * That the item is in.
   */
  collection: string
  /**
   * As the file states it.
   */
  title: string | null
  /**
   * Which passage of the item; 0 is its head.
   */
  chunk: number
  text: string
  /**
   * When it is said, of a recording or film where that is known.
   */
  time?: {
    /**
     * Seconds from the beginning.
     */
    start: number
    /**
     * Seconds from the beginning.
     */
    end: number
  }
  /**
   * Of the item, when it was read.
   */
  revision: number
}
export interface AnswerBilling {
  /**
   * USD, exact to nine decimals.
   */
  total_cost: number
  /**
   * USD, exact to nine decimals.
   */
  base_fee: number
  /**
   * USD, exact to nine decimals.
   */
  token_charges: number
  usage: {
    context_tokens: number
    response_tokens: number
    total_tokens: number
    processing_time_ms: number
  }
  pricing_tier: 'minimum' | 'standard'
}
export interface AskData {
  response: string
  /**
   * The passages that the answer cites, `[1]` the first.
   */
  sources: AnswerSource[]
  billing: AnswerBilling
  request: {
    query: string
    temperature: number
    max_tokens: number
    disclaimer: string
  }
  media_context?: {
    /**
     * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
     */
    media_id: string
    media_type: MediaType
    collection: string
    /**
     * ISO 8601, UTC, milliseconds.
     */
    created_at: string
  }
}
export interface FileAnalysis {
  media_info: {
    filename: string
    /**
     * File extension.
     */
    format: string
    media_type: MediaType
    /**
     * ISO 8601, UTC, milliseconds.
     */
    processed_at: string
    /**
     * Bytes.
     */
    size: number
  }
  processing_info: {
    api_version: string
    context_id: string
    model: string
    processing_time_ms: number
    status: 'success' | 'failed'
    /**
     * USD, exact to nine decimals.
     */
    cost: number
    /**
     * USD, exact to nine decimals.
     */
    balance: number
  }
  query_info: {
    query: string
    response_format: 'text' | 'json'
    system_prompt: string | null
  }
  /**
   * With response_format json.
   */
  analysis?: {
    summary: string
    key_elements: string[]
    relevant_details: string
  }
  /**
   * With response_format json.
   */
  answer?: {
    main_response: string
    insights: {
      observation: string
      analysis: string
      implication: string
    }[]
    additional_considerations: string
  }
  response: {
    content:
      | string
      | {
          analysis: {
            summary: string
            key_elements: string[]
            relevant_details: string
          }
          answer: {
            main_response: string
            insights: {
              observation: string
              analysis: string
              implication: string
            }[]
            additional_considerations: string
          }
        }
    format: 'text' | 'json'
    /**
     * ISO 8601, UTC, milliseconds.
     */
    generated_at: string
  }
}
export interface ListCollectionsData {
  collections: string[]
  collection_details: {
    [k: string]: {
      item_count: number
      /**
       * ISO 8601, UTC, milliseconds.
       */
      created_at: string
      media_type_distribution: {
        [k: string]: number
      }
    }
  }
  total_collections: number
}
export interface ReadCollectionData {
  collection_id: string
  stats: {
    item_count: number
    /**
     * ISO 8601, UTC, milliseconds.
     */
    first_item_date: string
    /**
     * ISO 8601, UTC, milliseconds.
     */
    last_item_date: string
    media_type_distribution: {
      [k: string]: number
    }
  }
}
export interface DeleteCollectionData {
  collection_id: string
  deleted_items: number
  storage_info: {
    deleted_vectors: {
      hd: number
      ld: number
    }
  }
  erasure?: Erasure
}
export interface MoveItemsRequest {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  items: string[]
}
export interface MoveItemsData {
  collection_id: string
  summary: {
    total: number
    succeeded: number
    failed: 0
    already_in_collection: number
    moved: number
  }
  items_by_type: {
    [k: string]: number
  }
}
export interface ServiceStatus {
  status: 'operational' | 'degraded' | 'critical'
  /**
   * Of the API; the software’s is in `/healthz`.
   */
  version: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  timestamp: string
  components: {
    api: 'operational' | 'degraded' | 'unavailable'
    storage: 'operational' | 'degraded' | 'unavailable'
    search: 'operational' | 'degraded' | 'unavailable'
    /**
     * Object storage that texts and vectors are kept in; only where one is configured.
     */
    artifacts?: 'operational' | 'degraded' | 'unavailable'
    /**
     * What counts requests for all processes; only where one is configured. `degraded`: each counts for itself.
     */
    limits?: 'operational' | 'degraded' | 'unavailable'
    /**
     * What publishes events to a broker; only where one is configured.
     */
    publisher?: 'operational' | 'degraded' | 'unavailable'
    /**
     * What sends events to webhooks; only while something is wrong with it.
     */
    webhooks?: 'operational' | 'degraded' | 'unavailable'
  }
  account: {
    tier: 'free' | 'standard' | 'enterprise'
    capabilities: ('read' | 'write' | 'delete')[]
    rate_limits: {
      limit: number
      remaining: number
      /**
       * ISO 8601, UTC, milliseconds.
       */
      reset_time: string
    }
  }
  performance: {
    response_time_ms: number
  }
  /**
   * Models of providers that are configured; none: everything is made offline.
   */
  providers: {
    use: string
    model: string
    /**
     * `open`: the model failed repeatedly and is not asked for a while.
     */
    breaker: 'closed' | 'open' | 'half-open'
    /**
     * Why its last call gave nothing; null where it did.
     */
    trouble: string | null
  }[]
  notice?: {
    type: string
    message: string
    /**
     * ISO 8601, UTC, milliseconds.
     */
    estimated_completion?: string
  }
}
export interface OwnKey {
  key_id: string
  label: string
  capabilities: ('read' | 'write' | 'delete')[]
  /**
   * ISO 8601, UTC, milliseconds.
   */
  created_at: string
  expires_at: string | null
  /**
   * While a replaced secret is still valid.
   */
  old_key_valid_until: string | null
  revoked: boolean
  /**
   * Whether this request was made with it.
   */
  is_used: boolean
}
export interface ListOwnKeysData {
  keys: OwnKey[]
}
export interface ReadUsageData {
  account_info: {
    /**
     * USD, exact to nine decimals.
     */
    balance: number
    tier: 'free' | 'standard' | 'enterprise'
    /**
     * Of the last charge; absent before the first.
     */
    last_billing_date?: string
    payment_status: 'active' | 'suspended' | 'closed'
    user_id: string
  }
  billing_summary: {
    /**
     * USD, exact to nine decimals.
     */
    current_balance: number
    usage_costs: {
      /**
       * USD, exact to nine decimals.
       */
      [k: string]: number
    }
    pricing: {
      /**
       * USD, exact to nine decimals.
       */
      [k: string]: number
    }
  }
  storage_usage: {
    total: {
      /**
       * Absent with `as_of`, as the two below.
       */
      vectors?: number
      size_gb?: number
      /**
       * Of the tier.
       */
      quota_limit: number
      quota_used_percent?: number
    }
  }
  detailed_metrics?: {
    usage_trends: {
      [k: string]: {
        /**
         * USD, exact to nine decimals.
         */
        [k: string]: number
      }
    }
    /**
     * Right before the range.
     */
    opening_balance: number
    /**
     * At the end of each bucket in which anything was posted.
     */
    balance_trend: {
      /**
       * USD, exact to nine decimals.
       */
      [k: string]: number
    }
    recent_transactions: {
      /**
       * ISO 8601, UTC, milliseconds.
       */
      timestamp: string
      type: 'charge' | 'refund' | 'credit'
      /**
       * Signed: a charge is negative.
       */
      amount: number
      status: 'completed'
    }[]
  }
}
export interface Proof {
  /**
   * Whether every line does.
   */
  holds: boolean
  lines: {
    name: 'sequence' | 'sums' | 'refunds' | 'books' | 'batches' | 'postings' | 'costs'
    statement: string
    /**
     * Null: it could not be looked at.
     */
    holds: boolean | null
    /**
     * Why it could not.
     */
    trouble?: string
    /**
     * Events, postings, refunds, months, batches or price keys.
     */
    checked: number
    fault_count: number
    /**
     * The first of them.
     */
    faults: {
      /**
       * Its place in the ledger.
       */
      revision?: number
      /**
       * In the log of all accounts: told to the operator alone.
       */
      position?: number
      /**
       * Posting, batch, month or price key.
       */
      subject: string
      reason: string
    }[]
  }[]
}
export interface Posting {
  /**
   * Its place in the ledger.
   */
  revision: number
  /**
   * ISO 8601, UTC, milliseconds.
   */
  at: string
  kind: 'credit' | 'charge' | 'refund'
  id: string
  /**
   * Of a refund: what it pays back of.
   */
  charge_id?: string
  /**
   * Signed: a charge is negative.
   */
  amount: number
  /**
   * Right after it.
   */
  balance: number
  /**
   * What it is for, by price key.
   */
  lines: {
    price: string
    /**
     * USD, exact to nine decimals.
     */
    amount: number
  }[]
  cause: {
    operation?: string
    request_id?: string
    job_id?: string
    batch_id?: string
    media_id?: string
    /**
     * While it is known: deleting an item erases it.
     */
    filename?: string
    /**
     * How many files it is about.
     */
    files?: number
    /**
     * Of a credit as it was given; of a refund the reason.
     */
    reference?: string
    /**
     * A key’s id, `operator` or `system`.
     */
    actor: string
    /**
     * The caller’s own X-Request-Id.
     */
    correlation_id?: string
  }
  /**
   * In the log of all accounts: told to the operator alone.
   */
  position?: number
  event_id: string
  /**
   * Of its event, in the ledger’s chain.
   */
  hash: string
}
export interface ReadLedgerData {
  account_id: string
  /**
   * Null: from the beginning, up to now. `until` itself is not in it.
   */
  range: {
    from: string | null
    until: string | null
  }
  /**
   * USD, exact to nine decimals.
   */
  opening_balance: number
  /**
   * USD, exact to nine decimals.
   */
  closing_balance: number
  totals: {
    /**
     * USD, exact to nine decimals.
     */
    credited: number
    /**
     * USD, exact to nine decimals.
     */
    charged: number
    /**
     * USD, exact to nine decimals.
     */
    refunded: number
  }
  /**
   * Of the range, charges net of refunds by price key.
   */
  costs: {
    /**
     * USD, exact to nine decimals.
     */
    [k: string]: number
  }
  /**
   * Each month whose books were opened, and the balance that was carried over into it.
   */
  books: {
    /**
     * UTC.
     */
    into: string
    /**
     * USD, exact to nine decimals.
     */
    balance: number
    /**
     * Its place in the ledger.
     */
    revision: number
    /**
     * In the log of all accounts: told to the operator alone.
     */
    position?: number
  }[]
  /**
   * Neither settled nor wholly refunded at the end.
   */
  open_charges: {
    count: number
    /**
     * What is left of them.
     */
    amount: number
    first: {
      charge_id: string
      /**
       * ISO 8601, UTC, milliseconds.
       */
      at: string
      operation: string
      /**
       * USD, exact to nine decimals.
       */
      amount: number
      /**
       * USD, exact to nine decimals.
       */
      left: number
    }[]
  }
  proof: Proof
  postings: Posting[]
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
    has_next: boolean
  }
}
export interface LedgerReport {
  account_id: string
  /**
   * Null: from the beginning, up to now. `until` itself is not in it.
   */
  range: {
    from: string | null
    until: string | null
  }
  /**
   * USD, exact to nine decimals.
   */
  opening_balance: number
  /**
   * USD, exact to nine decimals.
   */
  closing_balance: number
  totals: {
    /**
     * USD, exact to nine decimals.
     */
    credited: number
    /**
     * USD, exact to nine decimals.
     */
    charged: number
    /**
     * USD, exact to nine decimals.
     */
    refunded: number
  }
  /**
   * Of the range, charges net of refunds by price key.
   */
  costs: {
    /**
     * USD, exact to nine decimals.
     */
    [k: string]: number
  }
  /**
   * Each month whose books were opened, and the balance that was carried over into it.
   */
  books: {
    /**
     * UTC.
     */
    into: string
    /**
     * USD, exact to nine decimals.
     */
    balance: number
    /**
     * Its place in the ledger.
     */
    revision: number
    /**
     * In the log of all accounts: told to the operator alone.
     */
    position?: number
  }[]
  /**
   * Neither settled nor wholly refunded at the end.
   */
  open_charges: {
    count: number
    /**
     * What is left of them.
     */
    amount: number
    first: {
      charge_id: string
      /**
       * ISO 8601, UTC, milliseconds.
       */
      at: string
      operation: string
      /**
       * USD, exact to nine decimals.
       */
      amount: number
      /**
       * USD, exact to nine decimals.
       */
      left: number
    }[]
  }
  proof: Proof
}
export interface Statement {
  account_id: string
  account_name: string
  /**
   * UTC.
   */
  month: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  from: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  until: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  made_at: string
  /**
   * Whether nothing can be posted in the month any more.
   */
  final: boolean
  /**
   * USD in decimals, exact.
   */
  opening_balance: string
  /**
   * USD in decimals, exact.
   */
  credited: string
  /**
   * USD in decimals, exact.
   */
  charged: string
  /**
   * USD in decimals, exact.
   */
  refunded: string
  /**
   * USD in decimals, exact.
   */
  closing_balance: string
  /**
   * Charges net of refunds, by price key.
   */
  costs: {
    /**
     * USD in decimals, exact.
     */
    [k: string]: string
  }
  open_charges: {
    count: number
    /**
     * USD in decimals, exact.
     */
    amount: string
  }
  /**
   * Its last event, by which the ledger’s proof covers the statement; null without events.
   */
  ledger: {
    stream: string
    /**
     * Its place in the ledger.
     */
    revision: number
    /**
     * It covers every event of the ledger up to this one.
     */
    hash: string
    /**
     * A signed note that covers it; null before the first: see `/v1/audit/ledger/proof`.
     */
    checkpoint: string | null
  } | null
  proof: Proof
  postings: {
    /**
     * Its place in the ledger.
     */
    revision: number
    /**
     * ISO 8601, UTC, milliseconds.
     */
    at: string
    kind: 'credit' | 'charge' | 'refund'
    id: string
    /**
     * Of a refund: what it pays back of.
     */
    charge_id?: string
    /**
     * Signed: a charge is negative.
     */
    amount: string
    /**
     * Right after it.
     */
    balance: string
    /**
     * What it is for, by price key.
     */
    lines: {
      price: string
      /**
       * USD in decimals, exact.
       */
      amount: string
    }[]
    cause: {
      operation?: string
      request_id?: string
      job_id?: string
      batch_id?: string
      media_id?: string
      /**
       * While it is known: deleting an item erases it.
       */
      filename?: string
      /**
       * How many files it is about.
       */
      files?: number
      /**
       * Of a credit as it was given; of a refund the reason.
       */
      reference?: string
      /**
       * A key’s id, `operator` or `system`.
       */
      actor: string
      /**
       * The caller’s own X-Request-Id.
       */
      correlation_id?: string
    }
  }[]
}
export interface ReadUsageDiffData {
  from: {
    /**
     * ISO 8601, UTC, milliseconds.
     */
    at: string
    /**
     * USD, exact to nine decimals.
     */
    balance: number
    /**
     * Absent before the account was opened, as the state.
     */
    tier?: 'free' | 'standard' | 'enterprise'
    payment_status?: 'active' | 'suspended' | 'closed'
    /**
     * Since the account was opened.
     */
    usage_costs: {
      /**
       * USD, exact to nine decimals.
       */
      [k: string]: number
    }
  }
  to: {
    /**
     * ISO 8601, UTC, milliseconds.
     */
    at: string
    /**
     * USD, exact to nine decimals.
     */
    balance: number
    /**
     * Absent before the account was opened, as the state.
     */
    tier?: 'free' | 'standard' | 'enterprise'
    payment_status?: 'active' | 'suspended' | 'closed'
    /**
     * Since the account was opened.
     */
    usage_costs: {
      /**
       * USD, exact to nine decimals.
       */
      [k: string]: number
    }
  }
  difference: {
    /**
     * USD, exact to nine decimals.
     */
    balance: number
    usage_costs: {
      /**
       * USD, exact to nine decimals.
       */
      [k: string]: number
    }
  }
}
export interface ReadAccountLedgerData {
  account_id: string
  /**
   * Null: from the beginning, up to now. `until` itself is not in it.
   */
  range: {
    from: string | null
    until: string | null
  }
  /**
   * USD, exact to nine decimals.
   */
  opening_balance: number
  /**
   * USD, exact to nine decimals.
   */
  closing_balance: number
  totals: {
    /**
     * USD, exact to nine decimals.
     */
    credited: number
    /**
     * USD, exact to nine decimals.
     */
    charged: number
    /**
     * USD, exact to nine decimals.
     */
    refunded: number
  }
  /**
   * Of the range, charges net of refunds by price key.
   */
  costs: {
    /**
     * USD, exact to nine decimals.
     */
    [k: string]: number
  }
  /**
   * Each month whose books were opened, and the balance that was carried over into it.
   */
  books: {
    /**
     * UTC.
     */
    into: string
    /**
     * USD, exact to nine decimals.
     */
    balance: number
    /**
     * Its place in the ledger.
     */
    revision: number
    /**
     * In the log of all accounts: told to the operator alone.
     */
    position?: number
  }[]
  /**
   * Neither settled nor wholly refunded at the end.
   */
  open_charges: {
    count: number
    /**
     * What is left of them.
     */
    amount: number
    first: {
      charge_id: string
      /**
       * ISO 8601, UTC, milliseconds.
       */
      at: string
      operation: string
      /**
       * USD, exact to nine decimals.
       */
      amount: number
      /**
       * USD, exact to nine decimals.
       */
      left: number
    }[]
  }
  proof: Proof
  postings: Posting[]
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
    has_next: boolean
  }
}
export interface CloudEvent {
  specversion: '1.0'
  /**
   * The same event has the same id for ever, wherever it is told.
   */
  id: string
  /**
   * `medialog.` and the name of the type.
   */
  type: string
  /**
   * The stream: `media-<uuid>`, `library-<account>`, `batch-<uuid>` or `ledger-<account>`.
   */
  subject: string
  /**
   * When it was decided: ISO 8601, UTC, milliseconds.
   */
  time: string
  /**
   * Version of the payload’s schema.
   */
  dataversion: string
  /**
   * Its number in its stream: grows, and skips what is not published.
   */
  revision: string
  /**
   * Who caused it: the id of an API key, `operator`, or `system`.
   */
  actor: string
  /**
   * Whose it is.
   */
  accountid?: string
  /**
   * The request that caused it: `req_<uuid>` without its prefix.
   */
  requestid?: string
  /**
   * The event that caused it.
   */
  causationid?: string
  /**
   * The trace, as in W3C Trace Context.
   */
  traceparent?: string
  source: '/medialog'
  datacontenttype: 'application/json'
  /**
   * The payload: `/asyncapi.json` has its schema, by type.
   */
  data: {
    [k: string]: unknown
  }
}
export interface AddWebhookRequest {
  /**
   * Where to, over https.
   */
  url: string
  /**
   * Only events of these types; none: all.
   *
   * @maxItems 20
   */
  types?: string[]
}
export interface Webhook {
  webhook_id: string
  url: string
  /**
   * None: all.
   */
  types: string[]
  status: 'active' | 'paused' | 'disabled'
  /**
   * `gone`: it answered 410. `failing`: nothing arrived there for days.
   */
  disabled_reason: ('gone' | 'failing') | null
  /**
   * ISO 8601, UTC, milliseconds.
   */
  created_at: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  changed_at: string
}
export interface AddWebhookData {
  webhook: Webhook
  /**
   * What its receiver verifies signatures with. Shown this once.
   */
  secret: string
}
export interface ListWebhooksData {
  webhooks: Webhook[]
}
export interface WebhookWithProgress {
  webhook_id: string
  url: string
  /**
   * None: all.
   */
  types: string[]
  status: 'active' | 'paused' | 'disabled'
  /**
   * `gone`: it answered 410. `failing`: nothing arrived there for days.
   */
  disabled_reason: ('gone' | 'failing') | null
  /**
   * ISO 8601, UTC, milliseconds.
   */
  created_at: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  changed_at: string
  /**
   * Events up to there were handed to it. Null: it was added just now.
   */
  position: string | null
  last_delivered_at: string | null
  /**
   * Deliveries that wait.
   */
  pending: number
  /**
   * Deliveries that were given up.
   */
  dead: number
}
export interface ChangeWebhookRequest {
  /**
   * Where to, over https.
   */
  url?: string
  /**
   * Only events of these types; none: all.
   *
   * @maxItems 20
   */
  types?: string[]
  paused?: boolean
}
export interface RemoveWebhookData {
  webhook_id: string
}
export interface RotateWebhookSecretData {
  webhook_id: string
  /**
   * What its receiver verifies signatures with. Shown this once.
   */
  secret: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  former_valid_until: string
}
export interface ReplayWebhookRequest {
  /**
   * The position of a delivery, or the X-Position of any answer; `beginning` for all that the log holds.
   */
  after: string
}
export interface TestWebhookData {
  webhook_id: string
  delivery_id: string
}
export interface Delivery {
  /**
   * The id of the event, and of the message: `webhook-id`.
   */
  delivery_id: string
  type: string
  /**
   * The stream.
   */
  subject: string
  /**
   * Where it stands: to replay what came after it.
   */
  position: string
  /**
   * `dead`: given up. `erased`: it was taken out of the log before it arrived.
   */
  status: 'pending' | 'delivered' | 'dead' | 'erased'
  /**
   * Null: there is none.
   */
  next_attempt_at: string | null
  /**
   * ISO 8601, UTC, milliseconds.
   */
  changed_at: string
  /**
   * The last ten, newest first.
   */
  attempts: {
    /**
     * ISO 8601, UTC, milliseconds.
     */
    at: string
    duration_ms: number
    /**
     * Null: nothing was answered.
     */
    status_code: number | null
    error: string | null
  }[]
}
export interface ListDeliveriesData {
  deliveries: Delivery[]
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
  }
}
export interface ResendDeliveryData {
  webhook_id: string
  delivery_id: string
}
export interface HistoryEntry {
  /**
   * ISO 8601, UTC, milliseconds.
   */
  at: string
  /**
   * Its type: see docs/architecture.md.
   */
  event: string
  event_id: string
  /**
   * Of the event, in its stream’s chain.
   */
  hash: string
  /**
   * A key’s id, `operator` or `system`.
   */
  actor: string
  request_id?: string
  /**
   * The caller’s own X-Request-Id.
   */
  correlation_id?: string
  /**
   * What was paid for.
   */
  operation?: string
  batch_id?: string
  job_id?: string
  /**
   * The items that it is about.
   *
   * Items: Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_ids: string[]
  /**
   * While the item is there: deleting it erases its name.
   */
  filename?: string
  media_type?: MediaType
  format?: string
  size_bytes?: number
  sha256?: string
  collection?: string
  understanding?: {
    /**
     * The model that its vectors are of.
     */
    embedder: string
    /**
     * The method, with its version, or the model that described it.
     */
    enricher?: string
    hd_vectors?: number
    ld_vectors?: number
    duration_ms?: number
    /**
     * Of what is stored now: those of former ones are gone.
     */
    warnings?: string[]
  }
  posting?: {
    kind: 'credit' | 'charge' | 'refund'
    id: string
    /**
     * Of a refund: what it pays back of.
     */
    charge_id?: string
    /**
     * Signed: a charge is negative. Of an item, its part of what a batch was charged.
     */
    amount: number
    /**
     * By price key.
     */
    lines: {
      price: string
      /**
       * USD, exact to nine decimals.
       */
      amount: number
    }[]
  }
  /**
   * Of an answer: what its request cost.
   */
  cost?: number
  /**
   * Why it failed, was refunded or was deleted.
   */
  reason?: string
}
export interface ReadMediaHistoryData {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  /**
   * `absent`: nothing of it was ever stored, or not yet.
   */
  state: 'stored' | 'deleted' | 'absent'
  /**
   * Whether what came before its last deletion is gone from the log.
   */
  erased: boolean
  entries: HistoryEntry[]
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
    has_next: boolean
  }
}
export interface ReadRequestData {
  request_id: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  first_at: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  last_at: string
  /**
   * The batch that it made.
   */
  batch_id?: string
  /**
   * USD, exact to nine decimals.
   */
  charged: number
  /**
   * USD, exact to nine decimals.
   */
  refunded: number
  items: {
    /**
     * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
     */
    media_id: string
    /**
     * Whether it is there now.
     */
    state: 'stored' | 'absent'
    filename?: string
    collection?: string
  }[]
  entries: HistoryEntry[]
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
    has_next: boolean
  }
}
export interface OpenAccountRequest {
  name: string
  tier?: 'free' | 'standard' | 'enterprise'
  /**
   * USD, at most nine decimals.
   */
  credit?: number | string
}
export interface Account {
  account_id: string
  name: string
  tier: 'free' | 'standard' | 'enterprise'
  /**
   * Null where the ledger is damaged.
   */
  balance: number | null
  payment_status: 'active' | 'suspended' | 'closed'
  /**
   * ISO 8601, UTC, milliseconds.
   */
  created_at: string
}
export interface ListAccountsData {
  accounts: Account[]
  pagination: {
    page: number
    page_size: number
    total_items: number
    total_pages: number
    has_next: boolean
  }
}
export interface CreditAccountRequest {
  /**
   * USD, at most nine decimals.
   */
  amount: number | string
  reference?: string
}
export interface CreditAccountData {
  account_id: string
  /**
   * USD, exact to nine decimals.
   */
  balance: number
}
export interface ChangeTierRequest {
  tier: 'free' | 'standard' | 'enterprise'
}
export interface ChangeTierData {
  account_id: string
  tier: 'free' | 'standard' | 'enterprise'
}
export interface ChangeStateRequest {
  state: 'active' | 'suspended'
}
export interface ChangeStateData {
  account_id: string
  payment_status: 'active' | 'suspended' | 'closed'
}
export interface CloseAccountData {
  account_id: string
  payment_status: 'closed'
  /**
   * What was left of what had been credited; null where the ledger is damaged.
   */
  balance: number | null
  erasure: Erasure
}
export interface IssueKeyRequest {
  label?: string
  capabilities?: ('read' | 'write' | 'delete')[]
  /**
   * In the future; a key without one does not expire.
   */
  expires_at?: string | null
}
export interface IssueKeyData {
  key_id: string
  /**
   * Shown this once.
   */
  api_key: string
}
export interface Key {
  key_id: string
  label: string
  capabilities: ('read' | 'write' | 'delete')[]
  /**
   * ISO 8601, UTC, milliseconds.
   */
  created_at: string
  expires_at: string | null
  /**
   * While a replaced secret is still valid.
   */
  old_key_valid_until: string | null
  revoked: boolean
}
export interface ListKeysData {
  keys: Key[]
}
export interface RevokeKeyData {
  key_id: string
  revoked: true
}
export interface RotateKeyRequest {
  /**
   * How long the old secret stays valid.
   */
  grace_seconds?: number
}
export interface RotateKeyData {
  key_id: string
  /**
   * Shown this once.
   */
  api_key: string
  /**
   * ISO 8601, UTC, milliseconds.
   */
  old_key_valid_until: string
}
export interface Embeddings {
  /**
   * The one that is configured: it embeds whatever is uploaded from now on.
   */
  embedder: {
    model: string
    dimensions: number
    cosine_floor: number
  }
  /**
   * Items with vectors of another embedder.
   */
  pending_items: number
  /**
   * What is stored, by the embedder of its vectors.
   */
  models: {
    model: string
    items: number
    /**
     * Full-size ones.
     */
    vectors: number
    accounts: number
    /**
     * `words`: this embedder is not to be had, so queries are not compared with its vectors.
     */
    found_by: 'meaning' | 'words'
  }[]
}
export interface Operation {
  operation_id: string
  kind: string
  parameters: {
    [k: string]: unknown
  }
  status: 'running' | 'succeeded' | 'failed'
  progress: {
    ratio: number
    message: string
  }
  result: {
    [k: string]: unknown
  } | null
  error: string | null
  /**
   * ISO 8601, UTC, milliseconds.
   */
  started_at: string
  ended_at: string | null
}
export interface ListOperationsData {
  operations: Operation[]
}
export interface Checkpoint {
  /**
   * Events that it covers.
   */
  size: number
  /**
   * Hex.
   */
  root: string
  /**
   * A signed note (C2SP tlog-checkpoint): origin, size, root, and an Ed25519 signature.
   */
  note: string
  /**
   * A public key as verifiers of signed notes take it.
   */
  key: string
}
export interface EventProofs {
  /**
   * A signed note (C2SP tlog-checkpoint): origin, size, root, and an Ed25519 signature.
   */
  checkpoint: string
  /**
   * A public key as verifiers of signed notes take it.
   */
  key: string
  proofs: {
    index: number
    leaf: {
      position: number
      stream: string
      revision: number
      hash: string
    }
    /**
     * Inclusion proof (RFC 9162, 2.1.3), from the leaf upwards.
     */
    hashes: string[]
    /**
     * From which the leaf’s hash can be made; null once it was erased.
     */
    event: {
      [k: string]: unknown
    } | null
  }[]
}
export interface LedgerProofHead {
  format: 'medialog ledger proof 1'
  account_id: string
  stream: string
  /**
   * How many lines with an event follow.
   */
  events: number
  /**
   * A signed note (C2SP tlog-checkpoint): origin, size, root, and an Ed25519 signature.
   */
  checkpoint: string
  /**
   * A public key as verifiers of signed notes take it.
   */
  key: string
  /**
   * Of the last event: all before it are proven by the chain of hashes.
   */
  head: {
    index: number
    leaf: {
      position: number
      stream: string
      revision: number
      hash: string
    }
    /**
     * Inclusion proof (RFC 9162, 2.1.3), from the leaf upwards.
     */
    hashes: string[]
  }
  /**
   * That the checkpoint of that size is the beginning of this one; null if not asked for.
   */
  consistency: {
    from: number
    /**
     * Consistency proof (RFC 9162, 2.1.4).
     */
    hashes: string[]
  } | null
}
export interface ConsistencyProof {
  from: number
  to: number
  /**
   * Consistency proof (RFC 9162, 2.1.4).
   */
  hashes: string[]
}
export interface ReadCheckpointKeyData {
  /**
   * A public key as verifiers of signed notes take it.
   */
  key: string
  /**
   * In use before, oldest first: those that the present one vouches for.
   *
   * Items: A public key as verifiers of signed notes take it.
   */
  former_keys: string[]
  /**
   * Signed notes by which one key followed another, oldest first; signed by both where both were at hand.
   */
  handovers: string[]
}
export interface HealthzData {
  status: 'ok'
  /**
   * Of this release; the API’s is in `/v1/status`.
   */
  software_version: string
}
export interface ReadyzData {
  status: 'operational' | 'degraded' | 'critical'
  components: {
    [k: string]: string
  }
}
export interface UploadMediaInput {
  include_vectors?: boolean
  /**
   * The file.
   */
  file: FileSource
  /**
   * Replace what is stored of the same content; the item keeps its id and created_at.
   */
  force_overwrite?: boolean
  /**
   * `default`, or where an overwritten item is.
   */
  collection_id?: string
}
export interface ListMediaInput {
  page?: number
  page_size?: number
  media_type?: MediaType
  /**
   * A collection’s id.
   */
  collection?: string
  include_vectors?: boolean
  /**
   * The `next` of another page: what follows it, each item once whatever is stored or deleted meanwhile. Instead of `page`.
   */
  after?: string
  /**
   * What was stored then, that moment included; without vectors, which are not kept.
   */
  as_of?: string
}
export interface ReadMediaInput {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  include_vectors?: boolean
  include_chunks?: boolean
  include_metadata?: boolean
}
export interface DeleteMediaInput {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  /**
   * Wait for the bytes to be erased, a few seconds at most, and answer with a signed receipt.
   */
  receipt?: boolean
}
export interface DeleteMediaBatchInput {
  /**
   * Wait for the bytes to be erased, a few seconds at most, and answer with a signed receipt.
   */
  receipt?: boolean
  /**
   * @minItems 1
   * @maxItems 100
   *
   * Items: Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_ids: string[]
  reason?: string
}
export interface ReadErasureInput {
  erasure_id: string
}
export interface ReadAnyErasureInput {
  erasure_id: string
}
export interface CreateBatchInput {
  /**
   * The files.
   */
  file: FileSource[]
  /**
   * Replace what is stored of the same content; else it is skipped.
   */
  force_overwrite?: boolean
  /**
   * `default`, or where an overwritten item is.
   */
  collection_id?: string
  /**
   * As JSON. The form’s own fields win.
   */
  batch_options?: {
    force_overwrite?: boolean
    /**
     * A collection’s id.
     */
    collection_id?: string
    batch_name?: string
  }
}
export interface ListBatchesInput {
  page?: number
  page_size?: number
  status?: 'created' | 'running' | 'completed' | 'failed' | 'cancelled'
}
export interface ReadBatchInput {
  batch_id: string
}
export interface ReadBatchResultsInput {
  batch_id: string
  page?: number
  page_size?: number
}
export interface CancelBatchInput {
  batch_id: string
}
export interface SearchInput {
  query: string
  type?: 'basic' | 'advanced'
  /**
   * One collection’s id, a list of them, or `all`: every one.
   */
  collections?: string | string[]
  max_results?: number
  min_score?: number
  config?: {
    /**
     * Higher favours words, lower favours meaning.
     */
    lexical_weight?: number
    /**
     * Advanced only: how many levels of connections are followed, each for its price.
     */
    context_depth?: number
    /**
     * Advanced only: how many connections of an item are followed, rounded up.
     */
    expansion_factor?: number
  }
  filters?: {
    media_type?: MediaType | MediaType[]
    /**
     * Any ISO 8601 date or time; without a zone it is UTC.
     */
    created_after?: string
    /**
     * Any ISO 8601 date or time; without a zone it is UTC.
     */
    created_before?: string
    /**
     * Any of them, in any case.
     *
     * @minItems 1
     * @maxItems 100
     */
    topics?: string[]
    /**
     * Every kind given must match, any of its names, in any case.
     */
    entities?: {
      /**
       * @minItems 1
       * @maxItems 100
       */
      people?: string[]
      /**
       * @minItems 1
       * @maxItems 100
       */
      organizations?: string[]
      /**
       * @minItems 1
       * @maxItems 100
       */
      locations?: string[]
      /**
       * @minItems 1
       * @maxItems 100
       */
      objects?: string[]
      /**
       * @minItems 1
       * @maxItems 100
       */
      concepts?: string[]
    }
  }
  /**
   * Raises items of `type` that have all `features`; nothing is dropped.
   */
  modality?: {
    type: MediaType
    weight?: number
    /**
     * @maxItems 100
     */
    features?: string[]
  }
}
export interface FindSimilarInput {
  /**
   * The reference item, in either form of its id.
   */
  media_id: string
  /**
   * One collection’s id, a list of them, or `all`: every one.
   */
  collections?: string | string[]
  max_results?: number
  min_score?: number
  /**
   * Groups the results by content.
   */
  cluster?: boolean
  /**
   * Whether it is the first of the results.
   */
  include_reference?: boolean
  /**
   * Of this media type only; null for any.
   */
  modality_filter?: MediaType | null
}
export interface AskInput {
  query: string
  /**
   * Grounds the answer in that item: `vec-` and its UUID.
   */
  media_id?: string
  /**
   * Answers from items in these collections only. Not together with media_id.
   */
  collections?: string | string[]
  temperature?: number
  /**
   * The answer has at most so many tokens.
   */
  max_tokens?: number
  /**
   * Instructions for the model.
   */
  system_prompt?: string
  /**
   * Prior conversation or extra information, by which the question is understood; no answer quotes it as evidence. The caller keeps the history.
   */
  context?: string
  /**
   * The same as server-sent events.
   */
  stream?: boolean
}
export interface AnalyzeFileInput {
  /**
   * The file.
   */
  file: FileSource
  query: string
  system_prompt?: string
  response_format?: 'text' | 'json'
  media_type?: MediaType
}
export interface ListCollectionsInput {}
export interface ReadCollectionInput {
  /**
   * A collection’s id.
   */
  collection_id: string
}
export interface DeleteCollectionInput {
  /**
   * A collection’s id.
   */
  collection_id: string
  /**
   * Wait for the bytes to be erased, a few seconds at most, and answer with a signed receipt.
   */
  receipt?: boolean
}
export interface MoveItemsInput {
  /**
   * A collection’s id.
   */
  collection_id: string
  /**
   * @minItems 1
   * @maxItems 1000
   */
  items: string[]
}
export interface ReadStatusInput {}
export interface ListOwnKeysInput {}
export interface ReadUsageInput {
  /**
   * Not after end_time; 7 days before it unless given.
   */
  start_time?: string
  /**
   * Now or as_of, unless given; never after as_of.
   */
  end_time?: string
  group_by?: 'day' | 'hour' | 'month'
  detailed?: boolean
  /**
   * Answers from the history as it was then: balance, costs, postings, tier and state.
   */
  as_of?: string
}
export interface ReadLedgerInput {
  /**
   * Shows postings from then on; the proof is of all before, too.
   */
  from?: string
  /**
   * The history ends before it.
   */
  until?: string
  /**
   * Stands for its first moment as `from` and the next month’s as `until`.
   */
  month?: string
  /**
   * The history as it was then, that moment included.
   */
  as_of?: string
  page?: number
  page_size?: number
}
export interface ReadStatementInput {
  /**
   * The current one unless given.
   */
  month?: string
  /**
   * `html` is a page to print. Without it `Accept` decides: `application/json` unless it names another first.
   */
  format?: 'json' | 'csv' | 'html'
}
export interface ReadUsageDiffInput {
  /**
   * Not after `to`; 7 days before it unless given.
   */
  from?: string
  /**
   * Now, unless given.
   */
  to?: string
}
export interface ReadAccountLedgerInput {
  account_id: string
  /**
   * Shows postings from then on; the proof is of all before, too.
   */
  from?: string
  /**
   * The history ends before it.
   */
  until?: string
  /**
   * Stands for its first moment as `from` and the next month’s as `until`.
   */
  month?: string
  /**
   * The history as it was then, that moment included.
   */
  as_of?: string
  page?: number
  page_size?: number
}
export interface ReadAccountStatementInput {
  account_id: string
  /**
   * The current one unless given.
   */
  month?: string
  /**
   * `html` is a page to print. Without it `Accept` decides: `application/json` unless it names another first.
   */
  format?: 'json' | 'csv' | 'html'
}
export interface FollowEventsInput {
  /**
   * The position to go on after: the id of an event, or the X-Position of any answer; `beginning` for all that the log holds. Unless given: from now on.
   */
  after?: string
  /**
   * Only events of these types, separated by commas.
   */
  types?: string
}
export interface AddWebhookInput {
  /**
   * Where to, over https.
   */
  url: string
  /**
   * Only events of these types; none: all.
   *
   * @maxItems 20
   */
  types?: string[]
}
export interface ListWebhooksInput {}
export interface ReadWebhookInput {
  webhook_id: string
}
export interface ChangeWebhookInput {
  webhook_id: string
  /**
   * Where to, over https.
   */
  url?: string
  /**
   * Only events of these types; none: all.
   *
   * @maxItems 20
   */
  types?: string[]
  paused?: boolean
}
export interface RemoveWebhookInput {
  webhook_id: string
}
export interface RotateWebhookSecretInput {
  webhook_id: string
}
export interface ReplayWebhookInput {
  webhook_id: string
  /**
   * The position of a delivery, or the X-Position of any answer; `beginning` for all that the log holds.
   */
  after: string
}
export interface TestWebhookInput {
  webhook_id: string
}
export interface ListDeliveriesInput {
  webhook_id: string
  status?: 'pending' | 'delivered' | 'dead' | 'erased'
  page?: number
  page_size?: number
}
export interface ResendDeliveryInput {
  webhook_id: string
  delivery_id: string
}
export interface ReadMediaHistoryInput {
  /**
   * Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.
   */
  media_id: string
  page?: number
  page_size?: number
}
export interface ReadRequestInput {
  request_id: string
  page?: number
  page_size?: number
}
export interface OpenAccountInput {
  name: string
  tier?: 'free' | 'standard' | 'enterprise'
  /**
   * USD, at most nine decimals.
   */
  credit?: number | string
}
export interface ListAccountsInput {
  page?: number
  page_size?: number
}
export interface ReadAccountInput {
  account_id: string
}
export interface CloseAccountInput {
  account_id: string
}
export interface CreditAccountInput {
  account_id: string
  /**
   * USD, at most nine decimals.
   */
  amount: number | string
  reference?: string
}
export interface ChangeTierInput {
  account_id: string
  tier: 'free' | 'standard' | 'enterprise'
}
export interface ChangeStateInput {
  account_id: string
  state: 'active' | 'suspended'
}
export interface IssueKeyInput {
  account_id: string
  label?: string
  capabilities?: ('read' | 'write' | 'delete')[]
  /**
   * In the future; a key without one does not expire.
   */
  expires_at?: string | null
}
export interface ListKeysInput {
  account_id: string
}
export interface RevokeKeyInput {
  account_id: string
  key_id: string
}
export interface RotateKeyInput {
  account_id: string
  key_id: string
  /**
   * How long the old secret stays valid.
   */
  grace_seconds?: number
}
export interface ReadEmbeddingsInput {}
export interface ListOperationsInput {}
export interface ReadOperationInput {
  operation_id: string
}
export interface MakeCheckpointInput {}
export interface ReadEventProofsInput {
  /**
   * An event by its position (`12345`) or revision (`media-<uuid>@3`), or an item by its id.
   */
  subject: string
}
export interface ReadOwnEventProofsInput {
  /**
   * An event by its position (`12345`) or revision (`media-<uuid>@3`), or an item by its id.
   */
  subject: string
}
export interface ReadLedgerProofInput {
  /**
   * The size of a checkpoint that was kept: proves that it was continued.
   */
  since?: number
}
export interface ReadAccountLedgerProofInput {
  account_id: string
  /**
   * The size of a checkpoint that was kept: proves that it was continued.
   */
  since?: number
}
export interface ReadConsistencyProofInput {
  /**
   * The size of the earlier one.
   */
  from: number
  /**
   * The size of the later one.
   */
  to: number
}
export interface ReadCheckpointKeyInput {}
export interface HealthzInput {}
export interface ReadyzInput {}
export interface MetricsInput {}
export interface OpenapiInput {}
export interface AsyncapiInput {}
export interface DocsInput {}

/** Every code that the service refuses with. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'INVALID_PARAMETER'
  | 'MISSING_FILE'
  | 'MISSING_QUERY'
  | 'INPUT_TOO_LARGE'
  | 'UNSUPPORTED_FILE_TYPE'
  | 'FILE_SIZE_EXCEEDED'
  | 'CORRUPTED_FILE'
  | 'ENCRYPTED_FILE'
  | 'INVALID_MEDIA'
  | 'MISSING_MEDIA_IDS'
  | 'INVALID_MEDIA_IDS'
  | 'BATCH_TOO_LARGE'
  | 'BATCH_SIZE_EXCEEDED'
  | 'CANNOT_DELETE_DEFAULT'
  | 'INVALID_API_KEY'
  | 'INVALID_OPERATOR_TOKEN'
  | 'INSUFFICIENT_PERMISSIONS'
  | 'ACCOUNT_SUSPENDED'
  | 'INSUFFICIENT_FUNDS'
  | 'QUOTA_EXCEEDED'
  | 'NOT_FOUND'
  | 'RESOURCE_NOT_FOUND'
  | 'COLLECTION_NOT_FOUND'
  | 'ITEMS_NOT_FOUND'
  | 'ACCOUNT_NOT_FOUND'
  | 'KEY_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'DUPLICATE_FILE'
  | 'REQUEST_IN_PROGRESS'
  | 'OPERATION_RUNNING'
  | 'CREDIT_REFERENCE_REUSED'
  | 'WEBHOOK_LIMIT_REACHED'
  | 'WEBHOOK_NOT_ACTIVE'
  | 'ACCOUNT_CLOSED'
  | 'POSITION_LOST'
  | 'GONE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMIT_EXCEEDED'
  | 'PROCESSING_ERROR'
  | 'STORAGE_ERROR'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE'

/** What goes into each operation and what comes out of it. */
export interface Operations {
  /** Upload a file. Reads the file, keeps what can be known about it, and drops the file. Costs 0.04 USD; a refused or failed upload costs nothing. */
  uploadMedia: { input: UploadMediaInput; data: UploadResult }
  /** List items, newest first. */
  listMedia: { input: ListMediaInput; data: ListMediaData; entry: ListMediaData['items'][number] }
  /** Read one item. */
  readMedia: { input: ReadMediaInput; data: MediaItem }
  /** Delete one item for good. */
  deleteMedia: { input: DeleteMediaInput; data: DeleteMediaData }
  /** Delete up to 100 items for good. What was not found is named under `failed`; the rest is deleted all the same. */
  deleteMediaBatch: { input: DeleteMediaBatchInput; data: DeleteMediaBatchData }
  /** What became of an erasure, with its receipt. */
  readErasure: { input: ReadErasureInput; data: Erasure }
  /** The same of any account, a closed one too. */
  readAnyErasure: { input: ReadAnyErasureInput; data: Erasure }
  /** Process up to 25 files, 100 MB in all. Answers once the files are received and paid for; they are processed after that. 0.04 USD a file, duplicates free; what is not delivered is refunded. */
  createBatch: { input: CreateBatchInput; data: BatchCreation }
  /** List batches, newest first. */
  listBatches: { input: ListBatchesInput; data: ListBatchesData; entry: ListBatchesData['batches'][number] }
  /** How far a batch is, and what it cost. */
  readBatch: { input: ReadBatchInput; data: Batch }
  /** What became of each file. May be read while the batch runs: it then holds the files that are done. */
  readBatchResults: {
    input: ReadBatchResultsInput
    data: BatchResults
    entry: BatchResults['job_results'][number]
  }
  /** Cancel a batch. What is done stays; the rest is stopped and refunded. A body is ignored. A batch that has ended stays as it is. */
  cancelBatch: { input: CancelBatchInput; data: CancelBatchData }
  /** Search stored items. By words and by meaning; scores are absolute, so min_score means the same everywhere. Free, but for `type` `advanced`, which also follows connections between items: the depth asked for is charged, what was not reached is refunded before the answer. */
  search: { input: SearchInput; data: SearchData }
  /** Find what is similar to an item. In content, among all collections unless told otherwise. A refusal costs nothing. */
  findSimilar: { input: FindSimilarInput; data: FindSimilarData }
  /** Ask a question. Answered from one item (`media_id`) or from the passages of the library, or of some `collections`, that match best. 0.01 USD; tokens are charged above 10 000 in or 2 500 out. With `stream`: the events `delta`, `sources`, `billing`, `done`, or `error`. */
  ask: { input: AskInput; data: AskData }
  /** Ask one question about a file that is not kept. Nothing of the file is stored. 0.03 USD, refunded when it fails. Images may have 50 MB. */
  analyzeFile: { input: AnalyzeFileInput; data: FileAnalysis }
  /** List collections. */
  listCollections: { input: ListCollectionsInput; data: ListCollectionsData }
  /** Read a collection. */
  readCollection: { input: ReadCollectionInput; data: ReadCollectionData }
  /** Delete a collection with all its items for good. */
  deleteCollection: { input: DeleteCollectionInput; data: DeleteCollectionData }
  /** Move items into a collection. All or none. The collection is made when it is not there; an id named twice counts once. */
  moveItems: { input: MoveItemsInput; data: MoveItemsData }
  /** How the service is, and what the key may do. Answers 503 with the same data when the status is critical. */
  readStatus: { input: ReadStatusInput; data: ServiceStatus }
  /** List the account’s keys, without secrets. The operator issues, replaces and revokes them. */
  listOwnKeys: { input: ListOwnKeysInput; data: ListOwnKeysData }
  /** Balance, costs and storage. */
  readUsage: { input: ReadUsageInput; data: ReadUsageData }
  /** Every posting with its cause, and the proof. Added up from the events alone, from the first on; the read model is only compared. With `Accept: application/x-ndjson` all postings come as lines of JSON, one object each, and what they come to as the last one; `page` and `page_size` then mean nothing. */
  readLedger: { input: ReadLedgerInput; data: ReadLedgerData; entry: ReadLedgerData['postings'][number] }
  /** The statement of a month. */
  readStatement: { input: ReadStatementInput; data: Statement }
  /** Usage at two moments, and what came in between. */
  readUsageDiff: { input: ReadUsageDiffInput; data: ReadUsageDiffData }
  /** An account’s ledger, as it can read it itself. Added up from the events alone, from the first on; the read model is only compared. With `Accept: application/x-ndjson` all postings come as lines of JSON, one object each, and what they come to as the last one; `page` and `page_size` then mean nothing. */
  readAccountLedger: {
    input: ReadAccountLedgerInput
    data: ReadAccountLedgerData
    entry: ReadAccountLedgerData['postings'][number]
  }
  /** An account’s statement of a month. */
  readAccountStatement: { input: ReadAccountStatementInput; data: Statement }
  /** Follow what happens in the account. Server-sent events: first what happened after a position, then what happens, until the caller leaves. Each has a CloudEvent as its data and a position as its id: with the last of these in `Last-Event-ID` (or `after`) the next request goes on without a gap and without a repeat. An event named `end` says why the service ended it. */
  followEvents: { input: FollowEventsInput }
  /** Have events sent to an address. From now on. Needs the capability `read` as well. Messages are signed by the specification of Standard Webhooks. */
  addWebhook: { input: AddWebhookInput; data: AddWebhookData }
  /** List webhooks. */
  listWebhooks: { input: ListWebhooksInput; data: ListWebhooksData }
  /** Read a webhook, and how far it is. */
  readWebhook: { input: ReadWebhookInput; data: WebhookWithProgress }
  /** Change, pause or resume a webhook. What is not named stays. What happens while it is paused is sent once it is resumed: `"paused": false`, as for one that was disabled. Needs the capability `read` as well. */
  changeWebhook: { input: ChangeWebhookInput; data: Webhook }
  /** Remove a webhook with its deliveries. */
  removeWebhook: { input: RemoveWebhookInput; data: RemoveWebhookData }
  /** Make a new secret. For a day messages are signed with the former one as well. Needs the capability `read` as well. */
  rotateWebhookSecret: { input: RotateWebhookSecretInput; data: RotateWebhookSecretData }
  /** Send again all that came after a position. With the same ids as before. What was erased since is not sent. */
  replayWebhook: { input: ReplayWebhookInput; data: Webhook }
  /** Send an event that says nothing. Of the type `medialog.WebhookTested`. Its delivery tells how it went. */
  testWebhook: { input: TestWebhookInput; data: TestWebhookData }
  /** List deliveries, those that changed last first. */
  listDeliveries: {
    input: ListDeliveriesInput
    data: ListDeliveriesData
    entry: ListDeliveriesData['deliveries'][number]
  }
  /** Send an event again. */
  resendDelivery: { input: ResendDeliveryInput; data: ResendDeliveryData }
  /** Everything that happened to an item, oldest first. Uploads with what they were made with and cost, moves, answers that spoke of it, deletions. Of an erased item what erasing left. */
  readMediaHistory: {
    input: ReadMediaHistoryInput
    data: ReadMediaHistoryData
    entry: ReadMediaHistoryData['entries'][number]
  }
  /** Everything that one request caused. By the X-Request-Id of its answer: events, postings, its batch and its items, whatever went on in the background included. */
  readRequest: { input: ReadRequestInput; data: ReadRequestData; entry: ReadRequestData['entries'][number] }
  /** Open an account. An Idempotency-Key answers a repeat for a day with the account that the first request opened, and no credit is given twice. */
  openAccount: { input: OpenAccountInput; data: Account }
  /** List accounts, in the order in which they were opened. */
  listAccounts: {
    input: ListAccountsInput
    data: ListAccountsData
    entry: ListAccountsData['accounts'][number]
  }
  /** Read an account. */
  readAccount: { input: ReadAccountInput; data: Account }
  /** Close an account and erase all of it but its ledger, for good. Its keys work no more from then on. Erasing goes on after the answer: asked again, it answers how far that is. */
  closeAccount: { input: CloseAccountInput; data: CloseAccountData }
  /** Credit an account. The same reference credits once, for ever, and never another amount. An Idempotency-Key answers a repeat with the first answer for a day; without a reference it is one. */
  creditAccount: { input: CreditAccountInput; data: CreditAccountData }
  /** Change an account’s tier. */
  changeTier: { input: ChangeTierInput; data: ChangeTierData }
  /** Suspend an account, or take that back. */
  changeState: { input: ChangeStateInput; data: ChangeStateData }
  /** Issue an API key. */
  issueKey: { input: IssueKeyInput; data: IssueKeyData }
  /** List an account’s keys, without secrets. */
  listKeys: { input: ListKeysInput; data: ListKeysData }
  /** Revoke a key. */
  revokeKey: { input: RevokeKeyInput; data: RevokeKeyData }
  /** Give a key a new secret. */
  rotateKey: { input: RotateKeyInput; data: RotateKeyData }
  /** What is stored of which embedder. The operation `embeddings-migrate` gives every item vectors of the configured embedder, while the service goes on. */
  readEmbeddings: { input: ReadEmbeddingsInput; data: Embeddings }
  /** Start long work inside the server. Answers at once; each kind has parameters of its own. */
  startOperation: { input: StartOperationRequest; data: Operation }
  /** List operations, newest first. */
  listOperations: { input: ListOperationsInput; data: ListOperationsData }
  /** Read an operation, or watch it. With `Accept: text/event-stream` every change follows as an event named `operation`, the current state first, until it has ended. */
  readOperation: { input: ReadOperationInput; data: Operation }
  /** Sign what the log holds now. The last checkpoint again where nothing came since. */
  makeCheckpoint: { input: MakeCheckpointInput; data: Checkpoint }
  /** Prove that events are in the log. */
  readEventProofs: { input: ReadEventProofsInput; data: EventProofs }
  /** Prove that your own events are in the log. Those of items, the ledger, batches, collections and erasures. */
  readOwnEventProofs: { input: ReadOwnEventProofsInput; data: EventProofs }
  /** Your ledger, for a proof without the service. All that was posted, as it is recorded, under a signed checkpoint: for a check without the service, see docs/audit.md. A checkpoint contains the number of events of all accounts. */
  readLedgerProof: { input: ReadLedgerProofInput }
  /** Any account’s ledger, for a proof without the service. All that was posted, as it is recorded, under a signed checkpoint: for a check without the service, see docs/audit.md. A checkpoint contains the number of events of all accounts. */
  readAccountLedgerProof: { input: ReadAccountLedgerProofInput }
  /** Prove that one checkpoint is the beginning of another. */
  readConsistencyProof: { input: ReadConsistencyProofInput; data: ConsistencyProof }
  /** The public keys that prove checkpoints. */
  readCheckpointKey: { input: ReadCheckpointKeyInput; data: ReadCheckpointKeyData }
  /** Whether the process is alive. */
  healthz: { input: HealthzInput; data: HealthzData }
  /** Whether it can serve requests. */
  readyz: { input: ReadyzInput; data: ReadyzData }
  /** Metrics for Prometheus. With the operator’s token as `Authorization: Bearer <token>`. */
  metrics: { input: MetricsInput }
  /** This description. */
  openapi: { input: OpenapiInput }
  /** A description of the events. */
  asyncapi: { input: AsyncapiInput }
  /** The reference for people. */
  docs: { input: DocsInput }
}

export const operations = {
  uploadMedia: {
    method: 'POST',
    path: '/v1/media',
    access: 'write',
    paid: true,
    query: ['include_vectors'],
    body: 'form',
  },
  listMedia: {
    method: 'GET',
    path: '/v1/media',
    access: 'read',
    query: ['page', 'page_size', 'media_type', 'collection', 'include_vectors', 'after', 'as_of'],
    entries: 'items',
  },
  readMedia: {
    method: 'GET',
    path: '/v1/media/{media_id}',
    access: 'read',
    query: ['include_vectors', 'include_chunks', 'include_metadata'],
  },
  deleteMedia: { method: 'DELETE', path: '/v1/media/{media_id}', access: 'delete', query: ['receipt'] },
  deleteMediaBatch: {
    method: 'DELETE',
    path: '/v1/media/batch',
    access: 'delete',
    query: ['receipt'],
    body: 'json',
  },
  readErasure: { method: 'GET', path: '/v1/erasures/{erasure_id}', access: 'read' },
  readAnyErasure: { method: 'GET', path: '/admin/erasures/{erasure_id}', access: 'operator' },
  createBatch: { method: 'POST', path: '/v1/batches', access: 'write', paid: true, body: 'form' },
  listBatches: {
    method: 'GET',
    path: '/v1/batches',
    access: 'read',
    query: ['page', 'page_size', 'status'],
    entries: 'batches',
  },
  readBatch: { method: 'GET', path: '/v1/batches/{batch_id}', access: 'read' },
  readBatchResults: {
    method: 'GET',
    path: '/v1/batches/{batch_id}/results',
    access: 'read',
    query: ['page', 'page_size'],
    entries: 'job_results',
  },
  cancelBatch: { method: 'PUT', path: '/v1/batches/{batch_id}/state', access: 'write' },
  search: { method: 'POST', path: '/v1/search', access: 'read', paid: true, body: 'json' },
  findSimilar: { method: 'POST', path: '/v1/search/similar', access: 'read', paid: true, body: 'json' },
  ask: { method: 'POST', path: '/v1/ai/query', access: 'read', paid: true, body: 'json' },
  analyzeFile: { method: 'POST', path: '/v1/ai/analyze', access: 'read', paid: true, body: 'form' },
  listCollections: { method: 'GET', path: '/v1/media/collections', access: 'read' },
  readCollection: { method: 'GET', path: '/v1/media/collections/{collection_id}', access: 'read' },
  deleteCollection: {
    method: 'DELETE',
    path: '/v1/media/collections/{collection_id}',
    access: 'delete',
    query: ['receipt'],
  },
  moveItems: {
    method: 'POST',
    path: '/v1/media/collections/{collection_id}/items',
    access: 'write',
    body: 'json',
  },
  readStatus: { method: 'GET', path: '/v1/status', access: 'read' },
  listOwnKeys: { method: 'GET', path: '/v1/keys', access: 'read' },
  readUsage: {
    method: 'GET',
    path: '/v1/usage',
    access: 'read',
    query: ['start_time', 'end_time', 'group_by', 'detailed', 'as_of'],
  },
  readLedger: {
    method: 'GET',
    path: '/v1/audit/ledger',
    access: 'read',
    query: ['from', 'until', 'month', 'as_of', 'page', 'page_size'],
    entries: 'postings',
  },
  readStatement: { method: 'GET', path: '/v1/audit/statement', access: 'read', query: ['month', 'format'] },
  readUsageDiff: { method: 'GET', path: '/v1/usage/diff', access: 'read', query: ['from', 'to'] },
  readAccountLedger: {
    method: 'GET',
    path: '/admin/accounts/{account_id}/ledger',
    access: 'operator',
    query: ['from', 'until', 'month', 'as_of', 'page', 'page_size'],
    entries: 'postings',
  },
  readAccountStatement: {
    method: 'GET',
    path: '/admin/accounts/{account_id}/statement',
    access: 'operator',
    query: ['month', 'format'],
  },
  followEvents: { method: 'GET', path: '/v1/events', access: 'read', query: ['after', 'types'] },
  addWebhook: { method: 'POST', path: '/v1/webhooks', access: 'write', body: 'json' },
  listWebhooks: { method: 'GET', path: '/v1/webhooks', access: 'read' },
  readWebhook: { method: 'GET', path: '/v1/webhooks/{webhook_id}', access: 'read' },
  changeWebhook: { method: 'PATCH', path: '/v1/webhooks/{webhook_id}', access: 'write', body: 'json' },
  removeWebhook: { method: 'DELETE', path: '/v1/webhooks/{webhook_id}', access: 'delete' },
  rotateWebhookSecret: { method: 'POST', path: '/v1/webhooks/{webhook_id}/secret', access: 'write' },
  replayWebhook: { method: 'POST', path: '/v1/webhooks/{webhook_id}/replay', access: 'write', body: 'json' },
  testWebhook: { method: 'POST', path: '/v1/webhooks/{webhook_id}/test', access: 'write' },
  listDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{webhook_id}/deliveries',
    access: 'read',
    query: ['status', 'page', 'page_size'],
    entries: 'deliveries',
  },
  resendDelivery: {
    method: 'POST',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend',
    access: 'write',
  },
  readMediaHistory: {
    method: 'GET',
    path: '/v1/media/{media_id}/history',
    access: 'read',
    query: ['page', 'page_size'],
    entries: 'entries',
  },
  readRequest: {
    method: 'GET',
    path: '/v1/requests/{request_id}',
    access: 'read',
    query: ['page', 'page_size'],
    entries: 'entries',
  },
  openAccount: { method: 'POST', path: '/admin/accounts', access: 'operator', body: 'json' },
  listAccounts: {
    method: 'GET',
    path: '/admin/accounts',
    access: 'operator',
    query: ['page', 'page_size'],
    entries: 'accounts',
  },
  readAccount: { method: 'GET', path: '/admin/accounts/{account_id}', access: 'operator' },
  closeAccount: { method: 'DELETE', path: '/admin/accounts/{account_id}', access: 'operator' },
  creditAccount: {
    method: 'POST',
    path: '/admin/accounts/{account_id}/credits',
    access: 'operator',
    body: 'json',
  },
  changeTier: { method: 'PUT', path: '/admin/accounts/{account_id}/tier', access: 'operator', body: 'json' },
  changeState: {
    method: 'PUT',
    path: '/admin/accounts/{account_id}/state',
    access: 'operator',
    body: 'json',
  },
  issueKey: { method: 'POST', path: '/admin/accounts/{account_id}/keys', access: 'operator', body: 'json' },
  listKeys: { method: 'GET', path: '/admin/accounts/{account_id}/keys', access: 'operator' },
  revokeKey: { method: 'DELETE', path: '/admin/accounts/{account_id}/keys/{key_id}', access: 'operator' },
  rotateKey: {
    method: 'POST',
    path: '/admin/accounts/{account_id}/keys/{key_id}/rotate',
    access: 'operator',
    body: 'json',
  },
  readEmbeddings: { method: 'GET', path: '/admin/embeddings', access: 'operator' },
  startOperation: { method: 'POST', path: '/admin/operations', access: 'operator', body: 'json' },
  listOperations: { method: 'GET', path: '/admin/operations', access: 'operator' },
  readOperation: { method: 'GET', path: '/admin/operations/{operation_id}', access: 'operator' },
  makeCheckpoint: { method: 'POST', path: '/admin/audit/checkpoints', access: 'operator' },
  readEventProofs: { method: 'GET', path: '/admin/audit/proofs', access: 'operator', query: ['subject'] },
  readOwnEventProofs: { method: 'GET', path: '/v1/audit/proofs', access: 'read', query: ['subject'] },
  readLedgerProof: { method: 'GET', path: '/v1/audit/ledger/proof', access: 'read', query: ['since'] },
  readAccountLedgerProof: {
    method: 'GET',
    path: '/admin/accounts/{account_id}/ledger/proof',
    access: 'operator',
    query: ['since'],
  },
  readConsistencyProof: {
    method: 'GET',
    path: '/admin/audit/consistency',
    access: 'operator',
    query: ['from', 'to'],
  },
  readCheckpointKey: { method: 'GET', path: '/checkpoint-key', access: 'public' },
  healthz: { method: 'GET', path: '/healthz', access: 'public' },
  readyz: { method: 'GET', path: '/readyz', access: 'public' },
  metrics: { method: 'GET', path: '/metrics', access: 'public' },
  openapi: { method: 'GET', path: '/openapi.json', access: 'public' },
  asyncapi: { method: 'GET', path: '/asyncapi.json', access: 'public' },
  docs: { method: 'GET', path: '/docs', access: 'public' },
} as const satisfies { readonly [id: string]: Declared }

export type OperationId = keyof typeof operations
