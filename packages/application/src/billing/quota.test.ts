import { expect, test } from 'vitest'
import { QuotaExceeded } from '../core/errors.ts'
import { EngineUnavailable } from '../ports/index.ts'
import { Quota } from './quota.ts'

const [ANN, BEN] = ['ann', 'ben']

function setUp() {
  const catalog = { vectors: 9, isAway: false }
  const storage = async () => {
    if (catalog.isAway) throw new EngineUnavailable('elasticsearch', 'away')
    return { vectors: catalog.vectors, bytes: 0 }
  }
  const quotas = { free: 10, standard: 20, enterprise: 30 }
  const ports = { catalog: { storage }, settings: { quotas, mostVectors: 28 } }
  return { catalog, quota: new Quota(ports as never) }
}

test('what is stored decides', async () => {
  const { catalog, quota } = setUp()
  await quota.require(ANN, 'free')
  catalog.vectors = 10
  await expect(quota.require(ANN, 'free')).rejects.toBeInstanceOf(QuotaExceeded)
  await quota.require(ANN, 'standard')
  catalog.vectors = 27
  await quota.require(ANN, 'enterprise')
  // The engine can search no more.
  catalog.vectors = 28
  await expect(quota.require(ANN, 'enterprise')).rejects.toMatchObject({ details: { quota_limit: 28 } })
})

test('while the catalog is unavailable the last count decides, and an account that was never counted is refused', async () => {
  const { catalog, quota } = setUp()
  await quota.require(ANN, 'free')
  catalog.isAway = true
  await quota.require(ANN, 'free')
  await expect(quota.require(BEN, 'free')).rejects.toBeInstanceOf(EngineUnavailable)
  catalog.isAway = false
  catalog.vectors = 25
  await expect(quota.require(ANN, 'free')).rejects.toBeInstanceOf(QuotaExceeded)
  catalog.isAway = true
  await expect(quota.require(ANN, 'standard')).rejects.toBeInstanceOf(QuotaExceeded)
  await quota.require(ANN, 'enterprise')
})
