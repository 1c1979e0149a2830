import { createHash } from 'node:crypto'
import { glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DataConverter } from '@temporalio/common'
import { bundleWorkflowCode, type Logger } from '@temporalio/worker'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const PREBUILT_PATH = pathOf('../../dist/workflows.js')

export const DATA_CONVERTER: DataConverter = { payloadConverterPath: pathOf('./payload-converter.ts') }

/** The workflows and all that they import, as one script. */
export interface WorkflowBundle {
  code: string
}

/** The one built beforehand, if it is of these sources; else made now, in about a second. */
export async function workflowBundle(logger: Logger): Promise<WorkflowBundle> {
  const code = await readFile(PREBUILT_PATH, 'utf8').catch(() => '')
  return code.startsWith(await stamp()) ? { code } : buildBundle(logger)
}

export const buildBundle = (logger: Logger): Promise<WorkflowBundle> =>
  bundleWorkflowCode({ workflowsPath: pathOf('./workflows.ts'), ...DATA_CONVERTER, logger })

/** Builds it beforehand; answers where it is. */
export async function prebuildBundle(logger: Logger): Promise<string> {
  const { code } = await buildBundle(logger)
  await mkdir(dirname(PREBUILT_PATH), { recursive: true })
  // A worker that starts meanwhile must not read half of it.
  const whole = `${PREBUILT_PATH}.${process.pid}`
  await writeFile(whole, (await stamp()) + code)
  await rename(whole, PREBUILT_PATH)
  return PREBUILT_PATH
}

/** What a bundle begins with that was made of the sources as they are. */
async function stamp(): Promise<string> {
  const digest = createHash('sha256')
  const folders = [
    '../',
    ...['application', 'domain', 'kernel'].map((name) => `../../../packages/${name}/src/`),
  ]
  for (const folder of folders) {
    const paths: string[] = []
    for await (const path of glob('**/*.ts', { cwd: pathOf(folder) }))
      if (!path.endsWith('.test.ts')) paths.push(path)
    for (const path of paths.sort()) digest.update(path).update(await readFile(pathOf(folder) + path))
  }
  return `// ${digest.digest('hex')}\n`
}
