import type { MediaType, Uuid } from '@medialog/kernel'

/** What a format is called, and which limits hold for it. One row a format in packages/understanding. */
export interface Format {
  /** Canonical name without dot, e.g. `docx`, `jpg`. */
  name: string
  mediaType: MediaType
  mimeType: string
  /** Extensions under which it travels, without dot, lower case. */
  extensions: readonly string[]
  /** Largest file in bytes. */
  maxBytes: number
  /** The same for analysis, where it takes larger ones. */
  maxAnalysisBytes?: number
  /** Longest playing time in seconds, for video and audio. */
  maxSeconds?: number
}

/** The text and facts of one file, as read by a parser: nothing is guessed or made up here. */
export interface Extraction {
  format: string
  mediaType: MediaType
  /** Plain text in reading order, paragraphs separated by a blank line; empty for files without words. */
  text: string
  title: string | null
  author: string | null
  /** BCP 47 tag where it is known (`en`, `ko`), else null. */
  language: string | null
  sections: Section[]
  tables: Table[]
  /** Where `text` has listings of code: search finds them, but summaries and topics ignore them. Not kept. */
  listings?: Listing[]
  /** How many pictures, charts and drawings the document holds. */
  figureCount: number
  facts: Facts
  /** True when the document was longer than what is read (about 75 000 tokens). */
  truncated: boolean
  /** Sentences for people about what could not be read or was left out. */
  warnings: string[]
  /** Where words of the text were read from pictures. */
  recognition?: Recognition
}

/** Optical character recognition: the words in pictures, with the confidence of each. */
export interface Recognition {
  /** Names the method, e.g. `tesseract-5-lstm`. */
  method: string
  /** Of the trained data, e.g. `eng`. */
  languages: string[]
  /** Words that were kept, and words that were left out because the method was not sure of them. */
  words: number
  dropped: number
  /** Of the kept words, by their length: the method's own measure, from 0 to 1. */
  confidence: number
  /** Numbers of the pages whose words were read so, where the file has pages. */
  pages?: number[]
}

export interface Section {
  title: string
  /** 1 for a top heading. */
  level: number
  /** `heading`, `sheet`, `slide`, `page`, `message` … */
  contentType: string
  /** Where its heading starts in `text`, in UTF-16 code units. */
  start: number
}

export interface Table {
  rows: number
  columns: number
  /** Where it starts in `text`, in UTF-16 code units. */
  start: number
}

/** `[start, end)` of a text, in UTF-16 code units. */
export interface Listing {
  start: number
  end: number
}

export type Facts = DocumentFacts | ImageFacts | VideoFacts | AudioFacts | ModelFacts

export interface DocumentFacts {
  mediaType: 'document'
  pageCount: number | null
  wordCount: number
  encoding?: string
}

export interface ImageFacts {
  mediaType: 'image'
  /** Pixels, as shown (orientation applied). */
  width: number
  height: number
  /** `RGB`, `RGBA`, `CMYK`, `Gray`, `Palette` … */
  colorMode: string
  /** Most common colours, most common first; shares add up to at most 1. */
  dominantColors: { hex: string; name: string; share: number }[]
  /** EXIF by the standard's tag names, values as people read them; empty without EXIF. */
  exif: { [tag: string]: string | number }
  frameCount?: number
  /** What it looks like by measure of its pixels, and how sure that is, from 0 to 1. */
  kind?: { name: ImageKind; confidence: number }
  /** What a model made of its pixels, where one looked at it. */
  seen?: SeenInPicture
  /** Of the small copy that is kept, where previews are kept: pixels, and bytes of the JPEG. */
  preview?: { width: number; height: number; bytes: number }
}

export interface SeenInPicture {
  model: string
  /** In sentences. */
  description: string
  /** `beach`, `office desk` … */
  sceneType: string
  /** Things that are to be seen. */
  elements: string[]
}

export const IMAGE_KINDS = ['photo', 'drawing', 'screenshot', 'scan', 'icon'] as const
export type ImageKind = (typeof IMAGE_KINDS)[number]

export interface VideoFacts {
  mediaType: 'video'
  /** Seconds. */
  duration: number
  width: number
  height: number
  /** Frames per second. */
  frameRate: number
  codec?: string
  tags?: { [name: string]: string }
  /** A frame of each scene, in the order of their times; absent where the pictures could not be decoded. */
  keyFrames?: KeyFrame[]
  /** As in AudioFacts. */
  listened?: boolean
  transcribedBy?: string
  segments?: SpeechSegment[]
  passageTimes?: TimeSpan[]
}

/** What a frame looks like, by its pixels alone. */
export interface KeyFrame {
  /** Seconds from the beginning: where its scene was first seen. */
  time: number
  /** Most common colours, most common first; shares add up to at most 1. */
  dominantColors: { hex: string; name: string; share: number }[]
  /** Mean luma from 0, black, to 1, white. */
  brightness: number
  /** `plain`: one colour; `drawing`: mostly even surfaces, as drawn; `photo`: as from a camera. */
  kind: 'plain' | 'drawing' | 'photo'
}

export interface AudioFacts {
  mediaType: 'audio'
  /** Seconds. */
  duration: number
  /** Hertz. */
  sampleRate: number
  channels: number
  codec?: string
  /** Bits per second. */
  bitRate?: number
  /** Absent where the sound could not be decoded. */
  loudness?: Loudness
  /** `title`, `artist`, `album`, `year`, `genre`, `track` … as found. */
  tags: { [name: string]: string }
  /** Whether its sound was listened to for speech; absent of what was stored by a release that did not. */
  listened?: boolean
  /** The model that wrote down what is said, where one did: the extraction's text. */
  transcribedBy?: string
  /** What is said, in the order of its times; absent where the model does not tell when. */
  segments?: SpeechSegment[]
  /** When each passage behind the head is said, in their order. */
  passageTimes?: TimeSpan[]
}

/** Seconds from the beginning of a recording or film. */
export interface TimeSpan {
  start: number
  end: number
}

/** A part of what is said in a recording or film: a sentence or a few, at most half a minute. */
export interface SpeechSegment extends TimeSpan {
  /** Where it begins in the extraction's text, in UTF-16 code units; it goes on to the next, or to the end. */
  at: number
  /** How sure the model is of it, from 0 to 1; absent where it does not say. */
  confidence?: number
}

export interface Loudness {
  /** Integrated after ITU-R BS.1770 and EBU R 128, in LUFS; null where nothing is louder than −70 LUFS. */
  integrated: number | null
  /** The largest sample, in dB relative to full scale; null where all are 0. */
  peak: number | null
  /** The share of the time, 0 to 1, that is quieter than −60 dB relative to full scale. */
  silence: number
}

export interface ModelFacts {
  mediaType: 'model'
  /** Unique positions: corners shared by faces count once. */
  vertexCount: number
  triangleCount: number
  materialCount: number
  /** Names of materials and parts, as found. */
  materials: string[]
  parts: string[]
  /** Colours of its materials, as far as the file states them, each once; absent where it states none. */
  colors?: { hex: string; name: string }[]
  /** Size of the bounding box along x, y, z in the file's own unit. */
  dimensions: { x: number; y: number; z: number }
}

/** What was concluded from an extraction, by the offline methods in the box or by a model provider. */
export interface Enrichment {
  summary: string
  description: string
  topics: string[]
  keywords: string[]
  categories: string[]
  emotions: string[]
  entities: Entities
  quality: Quality
  /** Names the method and its version, e.g. `medialog-offline-3`. */
  model: string
  /** Sentences for people about what was made otherwise than it was meant to be. */
  warnings?: string[]
}

export const ENTITY_KINDS = ['people', 'organizations', 'locations', 'objects', 'concepts'] as const
export type EntityKind = (typeof ENTITY_KINDS)[number]
export type Entities = Record<EntityKind, string[]>

/** Each from 0 to 1. */
export interface Quality {
  clarity: number
  completeness: number
  relevance: number
  technical: number
}

/** A passage of the text. Chunk 0 is the item's head (file name, title, keywords …): `start` and `end` are 0. */
export interface Chunk {
  text: string
  /** Its place in the extraction's text, in UTF-16 code units: `[start, end)`. */
  start: number
  end: number
}

/** Everything that is known of a file after it was read: what artifacts keep, what read models are made from. */
export interface Understood {
  extraction: Extraction
  enrichment: Enrichment
  chunks: Chunk[]
  vectors: ItemVectors
  /**
   * Of a video with key frames: a JPEG of each, at most 320 pixels wide and high, in their order. Of an image with a
   * preview: that one, at most 256 pixels wide and high.
   */
  thumbnails?: Uint8Array[]
}

export interface ItemVectors {
  /** Names model, quantisation and runtime. */
  model: string
  dimensions: number
  /** The item's own vector, unit length. */
  combined: Float32Array
  /** 64 dimensions, a fixed projection of the combined one, unit length. */
  short: Float32Array
  /** One per chunk, unit length, in the order of the chunks. */
  chunks: Float32Array[]
}

export interface SourceFile {
  /** A path on this machine. */
  path: string
  filename: string
  size: number
  format: Format
}

/** A file with what was read of it, for who looks and listens. */
export interface Perceived {
  file: SourceFile
  extraction: Extraction
  /** A JPEG of at most 1024 pixels a side, upright, without metadata: of pictures, where one could be made. */
  picture: Uint8Array | null
}

/** Sees and hears what no parser reads: what is to be seen in a picture, what is said in a recording. */
export interface Perceiver {
  /** Whether it looks at pictures: copies of them are made for it then. */
  readonly sees: boolean
  /** Whether it writes down what is said in that recording. */
  hears(recording: Pick<SourceFile, 'format' | 'size'>): boolean
  /** The extraction with what was perceived; with a warning where that could not be. */
  perceive(perceived: Perceived, options?: WorkOptions): Promise<Extraction>
}

/** For whom work is done, where accounts take turns, and what ends it. */
export interface WorkOptions {
  /** Whose turn it is. Work for no account in particular shares turns of its own. */
  accountId?: Uuid | undefined
  signal?: AbortSignal | undefined
  /** Work of the same account that a client waits for goes first. */
  isBackground?: boolean | undefined
}

export interface UnderstandOptions extends WorkOptions {
  /** Receives, while work goes on that takes long, the share of the file that was worked on: from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
}

/** Reads files. Extraction runs in child processes, so no file can take the service down. */
export interface Understanding {
  /** Bytes of the largest file that any of its formats may have. */
  readonly largestFile: number
  /**
   * Tells the format from the first bytes (8 KiB, or the whole of a shorter file), then the extension.
   * @throws UnsupportedFileType
   */
  identify(filename: string, head: Uint8Array): Format
  /**
   * @throws UnreadableFile when the file is broken, locked, over its limits or its parser died
   * @throws EngineUnavailable when a configured provider is unavailable and there is no fallback
   */
  understand(file: SourceFile, options: UnderstandOptions): Promise<Understood>
  /**
   * The vectors of an item by its chunks, head first, as `understand` makes them; by another embedder where one is given,
   * at most `textsAtOnce` at a time (all of them unless told).
   * @throws EngineUnavailable
   */
  embed(
    chunks: readonly Pick<Chunk, 'text'>[],
    options?: WorkOptions & { embedder?: Embedder; textsAtOnce?: number },
  ): Promise<ItemVectors>
  /** The same without vectors: for what is read once and not kept. @throws as `understand` */
  read(file: SourceFile, options: WorkOptions): Promise<Omit<Understood, 'vectors'>>
  /** What keeps files from being read as well as they could be, for people; null where nothing does. */
  trouble(): Promise<string | null>
  close(): Promise<void>
}

export class UnsupportedFileType extends Error {
  readonly filename: string

  constructor(filename: string, reason: string) {
    super(reason)
    this.name = 'UnsupportedFileType'
    this.filename = filename
  }
}

export const UNREADABLE_REASONS = [
  /** empty, truncated, not parsable */
  'corrupted',
  /** needs a password */
  'encrypted',
  /** expands, runs or plays beyond its limits */
  'too-large',
  /** the parser ran over its deadline */
  'timeout',
  /** the parser ran out of memory */
  'memory',
] as const
export type UnreadableReason = (typeof UNREADABLE_REASONS)[number]

/** The file itself is at fault: trying again will not help. The message is a sentence for the uploader. */
export class UnreadableFile extends Error {
  readonly reason: UnreadableReason

  constructor(reason: UnreadableReason, message: string) {
    super(message)
    this.name = 'UnreadableFile'
    this.reason = reason
  }
}

/** Turns text into unit vectors. */
export interface Embedder {
  /** Names model, quantisation and runtime, e.g. `all-MiniLM-L6-v2-int8-fused/onnxruntime-node`. */
  readonly model: string
  readonly dimensions: number
  /** The cosine at or below which two texts have nothing in common: belongs to the model, used by the scorer. */
  readonly cosineFloor: number
  /** The share of a text, 0 to 1, whose meaning the model can tell; all of any text where it is not said. */
  reads?(text: string): number
  /** One unit vector per text, in order. Queries are served before documents. */
  embed(
    texts: readonly string[],
    options?: WorkOptions & { priority?: 'query' | 'document' },
  ): Promise<Float32Array[]>
  close(): Promise<void>
}

/** Embedders that were configured before: items with their vectors are searched by them until they are embedded again. */
export interface FormerEmbedders {
  /** The embedder of that model, opened when first asked for; null where it is not available. */
  find(model: string): Promise<Embedder | null>
  close(): Promise<void>
}

/** Concludes summary, topics, entities and quality from what was extracted. */
export interface Enricher {
  enrich(extraction: Extraction, filename: string, options?: WorkOptions): Promise<Enrichment>
  close(): Promise<void>
}
