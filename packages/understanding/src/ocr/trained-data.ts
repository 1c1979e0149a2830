import { accessSync, constants } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What Tesseract needs to read a language. */
export interface TrainedData {
  /** Tesseract's code, e.g. `eng`, `kor`, `chi_sim`. */
  language: string
  /** `<language>.traineddata`, or the same gzipped and ending in `.gz`. */
  path: string
}

/** No trained data for a language: the message is one line that says where it was looked for. */
export class LanguageNotInstalled extends Error {
  override name = 'LanguageNotInstalled'
}

/**
 * The trained data of each language: from the folder if one is given and has it, else from its package
 * `@tesseract.js-data/<language>`.
 * @throws LanguageNotInstalled
 */
export const findTrainedData = (languages: readonly string[], folder: string | null = null): TrainedData[] =>
  languages.map((language) => {
    const places = [...(folder === null ? [] : inFolder(folder, language)), ...inPackage(language)]
    const path = places.find(isReadable)
    if (path === undefined) throw new LanguageNotInstalled(notInstalled(language, folder))
    return { language, path }
  })

const inFolder = (folder: string, language: string): string[] =>
  ['.traineddata', '.traineddata.gz'].map((ending) => join(resolve(folder), language + ending))

function inPackage(language: string): string[] {
  try {
    const manifest = import.meta.resolve(`@tesseract.js-data/${language}/package.json`)
    return [fileURLToPath(new URL(`4.0.0_best_int/${language}.traineddata.gz`, manifest))]
  } catch {
    return []
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

const notInstalled = (language: string, folder: string | null): string =>
  `the words of pictures cannot be read in '${language}': there is no package @tesseract.js-data/${language}` +
  (folder === null
    ? ''
    : ` and no ${language}.traineddata or ${language}.traineddata.gz in ${resolve(folder)}`)
