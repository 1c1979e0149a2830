import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { infraPath } from './folder.ts'

const run = promisify(execFile)
const FILES = ['Dockerfile', 'infra/compose.yaml', 'infra/image/pin.sh']

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-pin-'))
  await mkdir(join(folder, 'bin'))
  for (const file of FILES) await cp(infraPath(`../${file}`), join(folder, file))
})
afterEach(() => rm(folder, { recursive: true }))

/** A registry that answers the command of the script alone, each tag with a digest of its own. */
async function registryAnswers(digest: string): Promise<void> {
  const docker = join(folder, 'bin', 'docker')
  await writeFile(docker, `#!/bin/sh\n[ "$1 $2 $3" = "buildx imagetools inspect" ] && ${digest}\n`)
  await chmod(docker, 0o755)
}
const ofTag = (release: string) => `echo "sha256:$(printf '%s' "$4${release}" | sha256sum | cut -c 1-64)"`

const pin = (...words: string[]) =>
  run(join(folder, 'infra/image/pin.sh'), words, {
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
  })
const read = async () =>
  Promise.all(['Dockerfile', 'infra/compose.yaml'].map((file) => readFile(join(folder, file), 'utf8')))
const imagesIn = (files: string[]): string[] =>
  files.flatMap((text) => text.match(/(?<=^(?:FROM| *image:) )[^\s$]+:[^\s$]+/gm) ?? [])

test('each image that is named gets the digest of its tag, once; what it has is checked', async () => {
  const before = await read()
  await registryAnswers(ofTag(''))
  await expect(pin('--check')).rejects.toMatchObject({ code: 1 })
  expect(await read()).toEqual(before)
  await pin()
  const pinned = await read()
  const images = imagesIn(pinned)
  expect(images.length).toBeGreaterThan(12)
  for (const image of images) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
  expect(images.map((image) => image.split('@')[0])).toEqual(
    imagesIn(before).map((image) => image.split('@')[0]),
  )
  expect(pinned.map((text) => text.replaceAll(/@sha256:[0-9a-f]{64}/g, ''))).toEqual(
    before.map((text) => text.replaceAll(/@sha256:[0-9a-f]{64}/g, '')),
  )
  expect((await pin()).stdout).toBe('')
  expect((await pin('--check')).stderr).toBe('')
  await registryAnswers(ofTag('later'))
  await expect(pin('--check')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('haproxy') })
  expect(await read()).toEqual(pinned)
  await pin()
  expect(imagesIn(await read())).not.toEqual(images)
})

test('a registry that does not answer changes nothing, and fails', async () => {
  const before = await read()
  await registryAnswers('exit 1')
  await expect(pin()).rejects.toMatchObject({ code: 1 })
  await registryAnswers('echo "not found"')
  await expect(pin()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('names no digest') })
  expect(await read()).toEqual(before)
})
