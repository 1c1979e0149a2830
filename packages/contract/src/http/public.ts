import { z } from 'zod'
import { success } from './common.ts'
import { route } from './route.ts'

const open = { tag: 'Service', access: 'public' } as const
const state = z.enum(['operational', 'degraded', 'critical'])

/** Outside `/v1`, without a key. */
export const publicRoutes = {
  healthz: route({
    ...open,
    operationId: 'healthz',
    method: 'get',
    path: '/healthz',
    summary: 'Whether the process is alive',
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        status: z.literal('ok'),
        software_version: z.string().describe('Of this release; the API’s is in `/v1/status`.'),
      }),
    }),
  }),
  readyz: route({
    ...open,
    operationId: 'readyz',
    method: 'get',
    path: '/readyz',
    summary: 'Whether it can serve requests',
    answer: z.strictObject({
      ...success,
      data: z.strictObject({ status: state, components: z.record(z.string(), z.string()) }),
    }),
    errors: ['SERVICE_UNAVAILABLE'],
  }),
  metrics: route({
    ...open,
    operationId: 'metrics',
    method: 'get',
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    description: 'With the operator’s token as `Authorization: Bearer <token>`.',
    bearer: true,
    answer: { contentType: 'text/plain', description: 'The Prometheus text format.' },
    errors: ['NOT_FOUND', 'INVALID_OPERATOR_TOKEN', 'RATE_LIMIT_EXCEEDED'],
  }),
  openapi: route({
    ...open,
    operationId: 'openapi',
    method: 'get',
    path: '/openapi.json',
    summary: 'This description',
    answer: { contentType: 'application/json', description: 'OpenAPI 3.1.' },
  }),
  asyncapi: route({
    ...open,
    operationId: 'asyncapi',
    method: 'get',
    path: '/asyncapi.json',
    summary: 'A description of the events',
    answer: { contentType: 'application/json', description: 'AsyncAPI 3.0.' },
  }),
  docs: route({
    ...open,
    operationId: 'docs',
    method: 'get',
    path: '/docs',
    summary: 'The reference for people',
    answer: { contentType: 'text/html', description: 'One page without outside resources.' },
  }),
}
