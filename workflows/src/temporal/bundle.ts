import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DataConverter } from '@temporalio/common'
import { bundleWorkflowCode, type Logger, type WorkflowBundleOption } from '@temporalio/worker'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** Where `npm run bundle -w workflows` puts what workers run. */
export const PREBUILT_PATH = pathOf('../../dist/workflows.js')

export const DATA_CONVERTER: DataConverter = { payloadConverterPath: pathOf('./payload-converter.ts') }

/** The workflows and all that they import, as one script: the one built beforehand, else made now, in about a second. */
export async function workflowBundle(logger: Logger): Promise<WorkflowBundleOption> {
  return existsSync(PREBUILT_PATH) ? { codePath: PREBUILT_PATH } : buildBundle(logger)
}

/** Made of the sources as they are. */
export function buildBundle(logger: Logger): Promise<{ code: string }> {
  return bundleWorkflowCode({ workflowsPath: pathOf('./workflows.ts'), ...DATA_CONVERTER, logger })
}
