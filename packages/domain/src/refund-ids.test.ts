import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refundedJob, refundOfCharge, refundOfJob, refundOfUnused } from './refund-ids.ts'

test('a refund’s id tells a job’s part from the charge and from what was not used', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 2 }), (ids) => {
      const [charge, job] = ids as [string, string]
      expect(refundedJob(refundOfJob(job), charge)).toBe(job)
      for (const id of [refundOfCharge(charge), refundOfUnused(charge)])
        expect(refundedJob(id, charge)).toBeNull()
      const made = [refundOfCharge(charge), refundOfUnused(charge), refundOfJob(job)]
      expect(new Set(made).size).toBe(3)
    }),
  )
})
