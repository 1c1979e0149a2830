import { readConfig, startService, type Engines } from '@medialog/server'
import { createExtractiveModel } from '@medialog/understanding'

/** The server with another LEXICON, a module's URL, to answer by. */
function adapt(engines: Engines): Engines {
  const lexicon = new URL(process.env.LEXICON!)
  const languageModel = createExtractiveModel({ embedder: engines.embedder, lexicon })
  return {
    ...engines,
    languageModel,
    async close() {
      await languageModel.close()
      await engines.close()
    },
  }
}

const service = await startService(readConfig(process.env), { adapt })
console.log(service.greeting)
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)))
