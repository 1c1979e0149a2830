import { randomUUID } from 'node:crypto'
import { describeWithEngine } from '@medialog/test/engines'
import { Client, Connection } from '@temporalio/client'
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common'
import { expect, test, vi } from 'vitest'
import { SearchAttributes } from './search-attributes.ts'
import { serverOptions } from './server-options.ts'
import { TemporalServer } from './server.ts'

describeWithEngine('temporal', 'a workflow of a Temporal server', (address) => {
  test('is found by its account and its batch; one that the server has no attributes for starts anyway', async () => {
    const taskQueue = `test-${randomUUID()}`
    const server = new TemporalServer({ to: serverOptions({ address }), namespace: 'default', taskQueue })
    const connection = await Connection.connect(serverOptions({ address }))
    const { workflow } = new Client({ connection })
    const of = { account: randomUUID(), batch: randomUUID() }
    const start = (workflowId: string) =>
      server.start(
        'nobodyWorksThis',
        { workflowId, taskQueue, args: [], workflowExecutionTimeout: 60_000 },
        of,
      )
    const ids = [`${taskQueue}-1`, `${taskQueue}-2`]
    try {
      await Promise.all(ids.map(start))
      for (const query of [`MedialogAccount = '${of.account}'`, `MedialogBatch = '${of.batch}'`])
        await vi.waitFor(
          async () => {
            const found: string[] = []
            for await (const { workflowId } of workflow.list({ query })) found.push(workflowId)
            expect(found.toSorted()).toEqual(ids)
          },
          { timeout: 30_000, interval: 100 },
        )
      const key = defineSearchAttributeKey('MedialogUnheardOf', SearchAttributeType.KEYWORD)
      const unheardOf = new TypedSearchAttributes([{ key, value: 'x' }])
      vi.spyOn(SearchAttributes.prototype, 'of').mockResolvedValueOnce(unheardOf)
      const forgotten = vi.spyOn(SearchAttributes.prototype, 'forget')
      ids.push(`${taskQueue}-3`)
      await start(ids[2]!)
      expect(forgotten).toHaveBeenCalledOnce()
      expect((await workflow.getHandle(ids[2]!).describe()).status.name).toBe('RUNNING')
    } finally {
      vi.restoreAllMocks()
      await Promise.allSettled(ids.map((id) => workflow.getHandle(id).terminate()))
      await connection.close()
      await server.close()
    }
  })
})
