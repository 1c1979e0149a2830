/** The part used here of Tesseract's C++ API, as its WASM build shows it to JavaScript. */
declare module 'tesseract.js-core/tesseract-core-simd-lstm.js' {
  interface TessBaseAPI {
    /** 0 when the languages, joined by `+`, could be loaded from the working folder; `mode` 1 is the LSTM engine. */
    Init(folder: null, languages: string, mode: 1): number
    SetVariable(name: string, value: string): boolean
    SetPageSegMode(mode: number): void
    /** Reads `/input`, an image of a kind known to Leptonica. 0 when it could be read. */
    SetImageFile(exifOrientation: number, angle: number): number
    /** 0 when it went well. */
    Recognize(monitor: null): number
    GetTSVText(page: number): string
    Version(): string
    End(): void
  }
  interface Tesseract {
    FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void }
    TessBaseAPI: new () => TessBaseAPI
    destroy(object: TessBaseAPI): void
    /** Called now and then while a picture is read; what it throws ends that, and the instance is of no more use. */
    TesseractProgress(percent: number): void
  }
  const core: (options: {
    wasmBinary: Uint8Array
    print(line: string): void
    printErr(line: string): void
    TesseractProgress(percent: number): void
  }) => Promise<Tesseract>
  export default core
  export type { TessBaseAPI, Tesseract }
}
