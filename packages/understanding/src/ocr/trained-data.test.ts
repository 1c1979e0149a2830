import { afterAll, expect, test } from 'vitest'
import { scratchFolder } from '../testing/fixtures.ts'
import { findTrainedData, LanguageNotInstalled } from './trained-data.ts'

const folder = await scratchFolder()
afterAll(() => folder.remove())

test('a language has a package', () => {
  expect(findTrainedData(['eng'])).toEqual([
    { language: 'eng', path: expect.stringMatching(/eng\.traineddata\.gz$/) },
  ])
  expect(findTrainedData([])).toEqual([])
})

test('a folder goes before the package, packed or not', async () => {
  const plain = await folder.write('kor.traineddata', 'x')
  const packed = await folder.write('eng.traineddata.gz', 'x')
  expect(findTrainedData(['kor', 'eng'], folder.path)).toEqual([
    { language: 'kor', path: plain },
    { language: 'eng', path: packed },
  ])
})

test('a language that is nowhere is named, in one line', () => {
  expect(() => findTrainedData(['eng', 'tlh'], folder.path)).toThrow(LanguageNotInstalled)
  expect(() => findTrainedData(['tlh'], folder.path)).toThrow(
    `the words of pictures cannot be read in 'tlh': there is no package @tesseract.js-data/tlh and no ` +
      `tlh.traineddata or tlh.traineddata.gz in ${folder.path}`,
  )
})
