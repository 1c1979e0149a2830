import { EngineUnavailable, type Application } from '@medialog/application'
import { usd } from '@medialog/kernel'
import type { FakeState } from './fake-state.ts'
import { itemOf } from './fake-library.ts'
import { NOW } from './fixtures.ts'

const PAID = {
  requestId: '00000000-0000-7000-8000-000000000077',
  cost: usd('0.0110001'),
  balance: usd('9.9889999'),
  position: 47,
  replayed: false,
}

/** `release`: of what is staged. */
export const fakeAsk = (
  { items, asked, analyses }: Pick<FakeState, 'items' | 'asked' | 'analyses'>,
  release: (id: string) => Promise<void>,
): Application['ask'] => ({
  async ask(_context, command, listener) {
    asked.push(command)
    const pieces = ['The wind', ' blew.\n\ndata: x']
    for (const piece of pieces) await listener?.delta(piece, { replayed: command.idempotencyKey === 'again' })
    if (command.query === 'break') throw new EngineUnavailable('model', 'gone')
    const item = command.mediaId === null ? null : itemOf(items, command.mediaId)
    return {
      ...PAID,
      text: pieces.join(''),
      answered: true,
      sources: [
        {
          mediaId: items[0]!.mediaId,
          mediaType: 'document',
          filename: 'wind.txt',
          collection: 'default',
          title: 'Winds',
          chunk: 1,
          text: 'Wind.',
          revision: 3,
        },
      ],
      item,
      replayed: command.idempotencyKey === 'again',
      price: { base: usd('0.01'), tokens: usd('0.0010001'), tier: 'standard' },
      usage: { inputTokens: 10_001, outputTokens: 7, milliseconds: 5 },
      model: 'fake-1',
      disclaimer: 'It is a fake.',
    }
  },
  async analyzeFile(_context, command) {
    analyses.push(command)
    await release(command.staged.id)
    return {
      ...PAID,
      replayed: command.idempotencyKey === 'again',
      analysis: {
        summary: 'A note.',
        keyElements: ['wind'],
        relevantDetails: 'It blew.',
        mainResponse: '“Wind.”',
        insights: [{ observation: 'a', analysis: 'b', implication: 'c' }],
        additionalConsiderations: 'None.',
      },
      format: 'txt',
      mediaType: command.mediaType ?? 'document',
      processedAt: NOW,
      milliseconds: 12,
      model: 'fake-1',
    }
  },
})
