import { expect, test } from 'vitest'
import { samplesOf, totalOf, valueOf } from './metrics.ts'

const TEXT = `# HELP up Whether it runs.
# TYPE up gauge
up 1
requests_total{method="GET",route="/v1/{id}",status="200"} 3
requests_total{method="POST",route="a \\"b\\" \\\\ c"} 4.5e1 1700000000000
broken{ 1
seconds_bucket{le="+Inf"} 7
rate NaN
`

test('reads names, labels and values', () => {
  expect(samplesOf(TEXT)).toEqual([
    { name: 'up', labels: {}, value: 1 },
    { name: 'requests_total', labels: { method: 'GET', route: '/v1/{id}', status: '200' }, value: 3 },
    { name: 'requests_total', labels: { method: 'POST', route: 'a "b" \\ c' }, value: 45 },
    { name: 'seconds_bucket', labels: { le: '+Inf' }, value: 7 },
  ])
})

test('finds one value, and adds up those of all labels', () => {
  const samples = samplesOf(TEXT)
  expect(valueOf(samples, 'up')).toBe(1)
  expect(valueOf(samples, 'down')).toBeNull()
  expect(totalOf(samples, 'requests_total')).toBe(48)
})
