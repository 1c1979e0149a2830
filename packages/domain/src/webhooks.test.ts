import { fold } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'
import { AccountIsClosed } from './account.ts'
import { given } from './testing/given-when-then.ts'
import {
  TooManyWebhooks,
  WebhookNotActive,
  WebhookNotFound,
  webhooks,
  type WebhooksCommand,
  type WebhooksEvent,
} from './webhooks.ts'

const URL = 'https://receiver.example/hook'
const target = { url: URL, types: ['MediaIngested'] }
const added: WebhooksEvent = {
  type: 'WebhookAdded',
  accountId: 'a',
  webhookId: 'w',
  secretId: 's1',
  ...target,
  at: 1,
}
const add: WebhooksCommand = { ...added, type: 'AddWebhook', most: 2 }
const paused: WebhooksEvent = { type: 'WebhookPaused', webhookId: 'w', at: 2 }
const resumed: WebhooksEvent = { type: 'WebhookResumed', webhookId: 'w', at: 3 }
const disabled: WebhooksEvent = { type: 'WebhookDisabled', webhookId: 'w', reason: 'gone', at: 2 }
const removed: WebhooksEvent = { type: 'WebhookRemoved', webhookId: 'w', at: 4 }
const change = (wanted: { url?: string; types?: string[]; paused?: boolean }): WebhooksCommand => ({
  type: 'ChangeWebhook',
  webhookId: 'w',
  ...wanted,
  at: 3,
})
const remove: WebhooksCommand = { type: 'RemoveWebhook', webhookId: 'w', at: 4 }
const wishes: WebhooksCommand[] = [
  change({ paused: true }),
  { type: 'DisableWebhook', webhookId: 'w', reason: 'gone', at: 3 },
  { type: 'RotateWebhookSecret', webhookId: 'w', secretId: 's2', oldValidUntil: 9, at: 3 },
  { type: 'RewindWebhook', webhookId: 'w', after: 7, at: 3 },
  { type: 'TestWebhook', webhookId: 'w', at: 3 },
  { type: 'ResendDelivery', webhookId: 'w', eventId: 'e', at: 3 },
  remove,
]

describe('webhooks of an account', () => {
  test('are added once, and no more than it may have', () => {
    given(webhooks).when(add).then(added)
    given(webhooks, added).when(add).thenNothing()
    const third = { ...add, webhookId: 'x' }
    given(webhooks, added, { ...added, webhookId: 'v' })
      .when(third)
      .thenFails(TooManyWebhooks, { code: 'WEBHOOK_LIMIT_REACHED', details: { limit: 2 } })
    given(webhooks, added, { ...added, webhookId: 'v' }, removed)
      .when(third)
      .then({ ...added, webhookId: 'x' })
  })

  test('are removed', () => {
    given(webhooks, added).when(remove).then(removed)
    expect(
      fold(webhooks, [added, { ...added, webhookId: 'v' }, removed])
        .keys()
        .toArray(),
    ).toEqual(['v'])
  })

  test('are erased once, with an account that is closed, and none comes again', () => {
    const erased: WebhooksEvent = { type: 'WebhooksErased', accountId: 'a', at: 5 }
    const erase: WebhooksCommand = { ...erased, type: 'EraseWebhooks' }
    given(webhooks, added).when(erase).then(erased)
    given(webhooks, added, erased).when(erase).thenNothing()
    given(webhooks, erased).when(add).thenFails(AccountIsClosed)
    given(webhooks, added, erased).when(wishes[0]!).thenFails(WebhookNotFound)
  })

  test.each(wishes)('that are not there refuse $type', (wish) => {
    given(webhooks).when(wish).thenFails(WebhookNotFound, { code: 'RESOURCE_NOT_FOUND' })
    given(webhooks, added, removed).when(wish).thenFails(WebhookNotFound)
  })

  test('change to what is named, and only where it is another', () => {
    given(webhooks, added).when(change(target)).thenNothing()
    for (const types of [[], ['MediaDeleted'], ['MediaIngested', 'MediaDeleted']]) {
      const changed: WebhooksEvent = { type: 'WebhookChanged', webhookId: 'w', url: URL, types, at: 3 }
      given(webhooks, added).when(change({ types })).then(changed)
      expect(fold(webhooks, [added, changed]).get('w')).toMatchObject({ url: URL, types, changedAt: 3 })
    }
    const two = ['MediaIngested', 'MediaDeleted']
    given(webhooks, { ...added, types: two })
      .when(change({ types: ['MediaIngested', 'MediaMoved'] }))
      .then({
        type: 'WebhookChanged',
        webhookId: 'w',
        url: URL,
        types: ['MediaIngested', 'MediaMoved'],
        at: 3,
      })
    given(webhooks, added)
      .when(change({ url: 'https://other.example/', paused: true }))
      .then(
        { type: 'WebhookChanged', webhookId: 'w', url: 'https://other.example/', types: target.types, at: 3 },
        { ...paused, at: 3 },
      )
  })

  test('are paused and resumed, also once they were disabled', () => {
    given(webhooks, added, paused)
      .when(change({ paused: true }))
      .thenNothing()
    given(webhooks, added)
      .when(change({ paused: false }))
      .thenNothing()
    given(webhooks, added, paused)
      .when(change({ paused: false }))
      .then(resumed)
    given(webhooks, added, disabled)
      .when(change({ paused: false }))
      .then(resumed)
    expect(fold(webhooks, [added, disabled]).get('w')).toMatchObject({ state: 'disabled', reason: 'gone' })
    expect(fold(webhooks, [added, disabled, resumed]).get('w')).toMatchObject({
      state: 'active',
      reason: null,
    })
  })

  test('are disabled only while they are active', () => {
    const disable: WebhooksCommand = { type: 'DisableWebhook', webhookId: 'w', reason: 'gone', at: 2 }
    given(webhooks, added).when(disable).then(disabled)
    given(webhooks, added, disabled).when(disable).thenNothing()
    given(webhooks, added, paused).when(disable).thenNothing()
  })

  test('keep the last secret beside the new one', () => {
    const rotation = { webhookId: 'w', secretId: 's2', oldValidUntil: 9, at: 3 }
    const rotated: WebhooksEvent = { type: 'WebhookSecretRotated', ...rotation }
    const rotate: WebhooksCommand = { type: 'RotateWebhookSecret', ...rotation }
    given(webhooks, added).when(rotate).then(rotated)
    given(webhooks, added, rotated).when(rotate).thenNothing()
    const again: WebhooksEvent = { ...rotated, secretId: 's3', oldValidUntil: 12 }
    expect(fold(webhooks, [added]).get('w')!.secrets).toEqual([{ secretId: 's1', validUntil: null }])
    expect(fold(webhooks, [added, rotated, again]).get('w')!.secrets).toEqual([
      { secretId: 's3', validUntil: null },
      { secretId: 's2', validUntil: 12 },
    ])
  })

  test('send tests and events again while they are active, and go back on demand', () => {
    const [, , , rewind, tested, resend] = wishes
    given(webhooks, added, paused).when(rewind!).then({
      type: 'WebhookRewound',
      webhookId: 'w',
      after: 7,
      at: 3,
    })
    given(webhooks, added).when(tested!).then({ type: 'WebhookTested', webhookId: 'w', at: 3 })
    given(webhooks, added).when(resend!).then({ type: 'DeliveryResent', webhookId: 'w', eventId: 'e', at: 3 })
    for (const wish of [tested!, resend!]) {
      given(webhooks, added, paused)
        .when(wish)
        .thenFails(WebhookNotActive, { details: { state: 'paused' } })
      given(webhooks, added, disabled).when(wish).thenFails(WebhookNotActive)
    }
  })
})
