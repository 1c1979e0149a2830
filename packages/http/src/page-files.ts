/** A file of the console, in every form that it is sent in. */
export interface PageFile {
  type: string
  identity: Buffer
  br: Buffer
  gzip: Buffer
}

/** By its path below `/console/`. */
export type PageFiles = ReadonlyMap<string, PageFile>
