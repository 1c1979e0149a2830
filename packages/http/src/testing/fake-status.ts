import type { Application } from '@medialog/application'

export const fakeStatus: Application['status'] = {
  health: async () => ({
    status: 'operational',
    components: { api: 'operational', storage: 'operational', search: 'operational' },
    limitations: {},
    problems: [],
    readModels: [],
    providers: [],
    publishing: null,
    webhooks: null,
    pendingErasures: 0,
    room: null,
  }),
  embeddings: async () => ({
    model: 'configured',
    dimensions: 384,
    cosineFloor: 0.15,
    pending: 3,
    models: [
      { model: 'configured', items: 5, vectors: 12, accounts: 2, foundBy: 'meaning' },
      { model: 'former', items: 2, vectors: 4, accounts: 1, foundBy: 'meaning' },
      { model: 'lost', items: 1, vectors: 2, accounts: 1, foundBy: 'words' },
    ],
  }),
  position: () => 40,
  reached: async (position) => position <= 50,
}
