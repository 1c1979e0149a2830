import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTopics, settingsOf } from '@medialog/messaging/testing/topics'
import { expect, onTestFinished, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { makeAuthority, type Authority } from '../harness/certificates.ts'
import { asAccount } from '../harness/client.ts'
import { freePort } from '../harness/free-port.ts'
import { startOwnEngine } from '../harness/own-engines.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'

const LONG = { timeout: 120_000, interval: 100 }
const SECRET = 'never-to-be-shown'

/** A broker that is spoken to over TLS by who has a certificate and a password; by anybody on a second port. */
async function secureBroker(scripts: string, authority: Authority) {
  const plain = await freePort()
  const { pem, key } = authority.issue('kafka.internal')
  const keystore = `${authority.path}.keystore`
  await writeFile(keystore, key + pem)
  const own = await changedScripts(
    scripts,
    `
listeners=SECURE://127.0.0.1:@PORT@,PLAINTEXT://127.0.0.1:${plain},CONTROLLER://127.0.0.1:@CPORT@
advertised.listeners=SECURE://localhost:@PORT@,PLAINTEXT://127.0.0.1:${plain}
listener.security.protocol.map=SECURE:SASL_SSL,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN
listener.name.secure.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="${SECRET}";
ssl.keystore.type=PEM
ssl.keystore.location=${keystore}
ssl.truststore.type=PEM
ssl.truststore.location=${authority.path}
ssl.client.auth=required`,
  )
  const broker = await startOwnEngine(own, 'kafka')
  onTestFinished(() => broker.remove())
  return { secure: broker.address.replace('127.0.0.1', 'localhost'), plain: `127.0.0.1:${plain}` }
}

/** A copy of Kafka's scripts, `properties` behind the broker's own: of one that stands there twice, the later one counts. */
async function changedScripts(scripts: string, properties: string): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), 'medialog-scripts-'))
  onTestFinished(() => rm(own, { recursive: true }))
  await cp(join(scripts, 'kafka'), join(own, 'kafka'), { recursive: true })
  await appendFile(join(own, 'kafka', 'server.properties.in'), `\n${properties}\n`)
  return own
}

describeWithEngine('own', 'a broker over TLS, with a password', (scripts) => {
  test('is published to by who has a certificate and the password, and by nobody else; neither is shown', async () => {
    const [authority, stranger] = [makeAuthority(), makeAuthority()]
    onTestFinished(() => {
      for (const made of [authority, stranger]) made[Symbol.dispose]()
    })
    const broker = await secureBroker(scripts, authority)
    const identity = authority.issue()
    const settings = settingsOf(broker.plain)
    const env = {
      KAFKA_BROKERS: broker.secure,
      KAFKA_TOPIC_PREFIX: settings.prefix,
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA_FILE: stranger.andThen(authority).path,
      KAFKA_TLS_CERT_FILE: identity.path,
      KAFKA_TLS_KEY_FILE: identity.keyPath,
      KAFKA_TLS_SERVER_NAME: 'kafka.internal',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'ann',
      KAFKA_SASL_PASSWORD: SECRET,
      MEDIALOG_LOG_LEVEL: 'debug',
    }
    const folder = await temporaryDataFolder()
    onTestFinished(() => folder.remove())

    let apiKey: string | null = null
    for (const { wrong, state, said } of [
      { wrong: { KAFKA_TLS_CA_FILE: stranger.path }, state: 'degraded', said: /certificate/i },
      { wrong: { KAFKA_SASL_PASSWORD: `${SECRET}-2` }, state: 'degraded', said: /authentication/i },
      { wrong: {}, state: 'operational', said: /^/ },
    ]) {
      const server = await startServer({ dataFolder: folder.path, env: { ...env, ...wrong } })
      onTestFinished(() => server.kill())
      apiKey ??= server.apiKey
      let shown = ''
      await vi.waitFor(async () => {
        const response = await fetch(`${server.url}/readyz`)
        shown = await response.text()
        expect(JSON.parse(shown).data.components.publisher).toBe(state)
        expect(server.errors()).toMatch(said)
      }, LONG)
      if (state === 'operational') {
        const { status } = await asAccount(server.url, apiKey!).upload('a.txt', 'What the sea says.')
        expect(status).toBe(200)
        await vi.waitFor(async () => {
          const types = (await readTopics(settings)).map(({ headers }) => headers['ce_type'])
          expect(types).toContain('medialog.MediaIngested')
        }, LONG)
      }
      expect(await server.stop()).toBe(0)
      expect(shown + server.errors()).not.toContain(SECRET)
      expect(shown + server.errors()).not.toContain('PRIVATE KEY')
    }
  }, 400_000)
})
