import { randomBytes } from 'node:crypto'
import { type LogFields, silentLogger } from '@signet/platform/logger/logger'
import { LOOPBACK } from '@signet/platform/outbound-http/address-policy'
import { createDeliveryRound, startDeliveries } from '@signet/platform/outbox/deliver'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { auditTable } from '../src/audit/audit-table.ts'
import { CredentialStore } from '../src/credentials/credential.repository.ts'
import { MailStore } from '../src/mail/mail.repository.ts'
import { createMailDeliveries } from '../src/mail/mail-deliveries.ts'
import { createMailOutboxes } from '../src/mail/mail-outbox.repository.ts'
import { createMailSecrets } from '../src/mail/mail-secret.ts'
import { createSmtpSender } from '../src/mail/smtp.ts'
import { createRequestReset, createResolveResetRequest } from '../src/recovery/reset-requests.ts'
import { type DirectoryFixture, directoryFixture, pick } from './directory-fixture.ts'
import { queuedMail } from './queued-mail.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'

let directory: DirectoryFixture
let silent: SmtpReceiver
let other: SmtpReceiver

beforeAll(async () => {
  directory = await directoryFixture()
  await directory.apply({
    organizations: ['silent', 'other'].map((id) => ({
      id,
      name: id,
      primaryDomain: `${id}.localhost`,
      users: [
        {
          id: `user-of-${id}`,
          userName: 'user',
          profile: { givenName: 'User', familyName: 'Example' },
          email: { address: `user@${id}.localhost`, verified: true },
        },
      ],
    })),
  })
})
afterAll(() => directory?.stop())
beforeEach(async () => {
  await directory.rows('DELETE FROM directory.mail_delivery')
  silent = await startSmtpReceiver()
  silent.behave('silent')
  other = await startSmtpReceiver()
  return () => Promise.all([silent.stop(), other.stop()])
})

const addMessages = (count: number, organizationId: string, smtp: string | null) =>
  directory.rows(
    `INSERT INTO directory.mail_delivery (day, delivery_id, kind, user_id, smtp, created_at, due_at)
     SELECT 1, $1::text || n, 'password_changed', 'user-of-' || $1, $2::text, $4::timestamptz, $4
       FROM generate_series(1, $3::integer) AS n`,
    [organizationId, smtp, count, directory.clock.now()],
  )
/** The deliveries of the instance, and of organizations. */
const deliveries = (overrides: Partial<Parameters<typeof createMailDeliveries>[0]> = {}) => {
  const server = { host: '127.0.0.1', tls: 'opportunistic', senderAddress: 'id@signet.example' } as const
  const [instance, tenants] = createMailOutboxes(directory.owner).map((outbox) =>
    createMailDeliveries(
      {
        issuer: 'http://localhost:8080',
        places: { find: () => undefined },
        mail: new MailStore(directory.owner, directory.masterKeys),
        masterKeys: directory.masterKeys,
        tokens: { issue: async () => undefined },
        texts: { find: async () => undefined },
        secrets: createMailSecrets(directory.masterKeys),
        resolveRequest: async () => undefined,
        resolveNotice: async () => undefined,
        findServer: async (organizationId) => ({
          ...server,
          port: organizationId === 'other' ? other.port : silent.port,
          isGuarded: false,
        }),
        send: createSmtpSender({ allow: LOOPBACK }),
        record: (tx, event) => auditTable.record(tx, event),
        logger: silentLogger,
        now: directory.clock.now,
        count: () => undefined,
        ...overrides,
      },
      outbox,
    ),
  )
  if (instance === undefined || tenants === undefined) throw new Error('an outbox is missing')
  return { instance, tenants }
}

describe('a silent SMTP server', () => {
  it('of one organization does not delay the message of another one', async () => {
    await addMessages(200, 'silent', 'silent')
    const stop = startDeliveries(deliveries().tenants)
    try {
      await expect.poll(silent.connections).toBe(10)
      await addMessages(1, 'other', 'other')
      await expect.poll(() => other.received.length, { timeout: 8_000, interval: 20 }).toBe(1)
      expect(silent.connections()).toBe(10)
    } finally {
      const stopped = stop()
      await silent.stop()
      await stopped
    }
  })

  it('of the instance does not delay the requests of people', async () => {
    await addMessages(200, 'silent', null)
    const stop = startDeliveries(deliveries().instance)
    try {
      await expect.poll(silent.connections).toBe(10)
      await directory.rows(
        `INSERT INTO directory.mail_delivery (day, delivery_id, kind, created_at, due_at)
         VALUES (1, 'request', 'password_reset_request', $1, $1)`,
        [directory.clock.now()],
      )
      await expect
        .poll(
          async () =>
            (await queuedMail(directory)).filter(
              ({ outcome, kind }) => outcome === 'delivered' && kind === 'password_reset_request',
            ),
          { timeout: 8_000, interval: 20 },
        )
        .toHaveLength(1)
    } finally {
      const stopped = stop()
      await silent.stop()
      await stopped
    }
  })

  it('gets each message once it responds, none twice', async () => {
    await addMessages(60, 'silent', 'silent')
    silent.behave('accept')
    const { tenants } = deliveries()
    const { signal } = new AbortController()
    await Promise.all([
      createDeliveryRound(tenants)(signal),
      createDeliveryRound(deliveries().tenants)(signal),
    ])
    expect(silent.received).toHaveLength(60)
    expect(new Set(silent.received.map(({ messageId }) => messageId)).size).toBe(60)
  })
})

describe('a request that no master key opens', () => {
  it('is given up after the usual tries, on record, and the log names the setting', async () => {
    const { masterKeys, owner, clock } = directory
    const mail = new MailStore(owner, masterKeys)
    await createRequestReset({
      ...{ mail, random: randomBytes, now: clock.now, tries: { countTry: async () => true } },
      masterKeys: [randomBytes(32)],
    })({ loginName: 'user', language: 'en' })
    const lines: [string, LogFields | undefined][] = []
    const log = (event: string, fields?: LogFields) => lines.push([event, fields])
    const { instance } = deliveries({
      resolveRequest: createResolveResetRequest({
        ...{ masterKeys, mail, random: randomBytes, now: clock.now },
        credentials: new CredentialStore(owner),
        queueAndRecord: async () => undefined,
      }),
      logger: { ...silentLogger, warn: log, error: log },
    })
    const round = createDeliveryRound(instance)
    for (const waitMs of [5_000, 30_000, 120_000, 600_000, 3_600_000, 0]) {
      await round(new AbortController().signal)
      clock.advance(waitMs)
    }
    expect(pick(await queuedMail(directory), 'failures', 'outcome', 'isSealed')).toEqual([
      { failures: 6, outcome: 'given_up', isSealed: false },
    ])
    expect(lines).toHaveLength(6)
    expect(lines.at(-1)).toMatchObject([
      'mail_given_up',
      { reason: 'master_key_unknown', name: 'SIGNET_DIRECTORY_MASTER_KEY', attempt: 6 },
    ])
    const events = await directory.audited({ action: 'mail.delivery' })
    expect(pick(events, 'targetKind', 'result', 'details')).toEqual([
      {
        targetKind: 'mail',
        result: 'failed',
        details: { kind: 'password_reset_request', reason: 'master_key_unknown' },
      },
    ])
  })
})
