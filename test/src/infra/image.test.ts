import { existsSync, globSync, readFileSync } from 'node:fs'
import { validate } from 'dockerfile-utils'
import { VARIABLES } from '@medialog/server/config'
import { expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { composeFile, infraFile, infraPath } from './folder.ts'

const dockerfile = infraFile('../Dockerfile')
const instructions = dockerfile
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
const ofLastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM')))

test('the Dockerfile is one', () => {
  expect(validate(dockerfile)).toEqual([])
  expect(validate('FROM debian\nRUNN make')).toHaveLength(1)
})

test('its Node is the one that the service runs under everywhere else', () => {
  const images = instructions.flatMap((line) => /^FROM (node:[^\s@]+)/.exec(line)?.[1] ?? [])
  const versions = Object.values(packageJson.optionalDependencies)
  expect([...new Set(images)]).toEqual([...new Set(versions)].map((version) => `node:${version}-trixie-slim`))
})

test('it runs as nobody in particular, tells its health, and begins with files that are there', () => {
  expect(ofLastStage.filter((line) => line.startsWith('USER'))).toEqual(['USER 10001:10001'])
  const exec = (instruction: RegExp) => JSON.parse(ofLastStage.join('\n').match(instruction)![1]!) as string[]
  const [start, health] = [exec(/^ENTRYPOINT (.*)$/m), exec(/^HEALTHCHECK .*CMD (.*)$/m)]
  expect(packageJson.scripts.start).toMatch(new RegExp(`exec ${start.join(' ')}$`))
  // Code that is compiled with other flags is not what the service takes.
  expect(ofLastStage).toContain(`RUN sh infra/image/compile.sh ${start.join(' ')}`)
  for (const words of [start, health]) {
    expect(words[0]).toBe('node')
    for (const file of words.filter((word) => /\.m?[jt]s$/.test(word)))
      expect(existsSync(infraPath(`../${file}`)), file).toBe(true)
  }
})

test('the service knows every setting of it', () => {
  const [, environment] = /^ENV (.*)$/m.exec(ofLastStage.join('\n'))!
  const names = Array.from(environment!.matchAll(/(\w+)=/g), ([, name]) => name)
  // What Node and the C library know.
  const theirs = ['PATH', 'NODE_ENV', 'MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'NODE_COMPILE_CACHE']
  for (const name of names) expect([...theirs, ...VARIABLES]).toContain(name)
})

test('packages, clients, compose files, chart and changelog name the version that this is', () => {
  const { version, workspaces } = packageJson
  for (const manifest of globSync(workspaces.map((folder) => infraPath(`../${folder}/package.json`))))
    expect(JSON.parse(readFileSync(manifest, 'utf8')), manifest).toMatchObject({ version })
  expect(infraFile('../clients/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`)
  for (const file of ['compose.yaml', 'compose.embedded.yaml']) {
    const images = Object.values(composeFile(file).services).flatMap(({ build, image }) =>
      build ? [image] : [],
    )
    expect([...new Set(images)]).toEqual([`\${MEDIALOG_IMAGE:-medialog:${version}}`])
  }
  expect(infraFile('helm/medialog/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`)
  expect(/^## (\S+)$/m.exec(infraFile('../CHANGELOG.md'))?.[1]).toBe(version)
})
