import { rpcClient } from '@signet/grpc/client'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { Secret } from '@signet/platform/config/settings-fields'
import { type LogFields, silentLogger } from '@signet/platform/logger/logger'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acme, PASSWORD, pick, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { queuedMail } from './queued-mail.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'

const DAILY_LIMIT = 8

let smtp: SmtpReceiver
let management: ManagementFixture
const warnings: [string, LogFields | undefined][] = []

beforeAll(async () => {
  smtp = await startSmtpReceiver()
  const url = new Secret(`smtp://localhost:${smtp.port}`)
  management = await managementFixture({
    logger: { ...silentLogger, warn: (message, fields) => void warnings.push([message, fields]) },
    smtp: { url, sender: 'id@signet.example', dailyLimit: DAILY_LIMIT },
  })
  const document = sampleDocument()
  document.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost' })
  acme(document).loginPolicy = { allowRegister: true }
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('org', { roles: ['ORG_OWNER acme'] })
})
afterAll(async () => {
  await management?.stop()
  await smtp?.stop()
})
beforeEach(async () => {
  await management.directory.rows('DELETE FROM directory.mail_delivery')
  await management.directory.rows('DELETE FROM directory.organization_smtp')
  smtp.received.splice(0)
})

let made = 0
async function createUser(address: string, organizationId = 'acme'): Promise<string> {
  made += 1
  const { status, body } = await management.call('POST', '/users', {
    organizationId,
    userName: `user-${made}`,
    profile: { givenName: 'G', familyName: 'F' },
    email: { address, verified: false },
  })
  expect(status).toBe(201)
  return body.id
}
const invite = (userId: string) => management.call('POST', `/users/${userId}/invitation`, undefined, 'org')
async function inviteAndDelete(address: string) {
  const userId = await createUser(address)
  const invited = await invite(userId)
  expect((await management.call('DELETE', `/users/${userId}`)).status).toBe(204)
  return invited
}
const setServer = () =>
  management.directory.rows(
    `INSERT INTO directory.organization_smtp (organization_id, host, port, tls, sender_address)
     VALUES ('acme', '127.0.0.1', $1, 'starttls', 'id@acme.example')`,
    [smtp.port],
  )
const outcomes = async () => pick(await queuedMail(management.directory), 'failures', 'outcome')
const untilSettled = () =>
  expect
    .poll(async () => (await outcomes()).every(({ outcome }) => outcome !== null), {
      timeout: 20_000,
    })
    .toBe(true)

function rpc() {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  network.serve('directory', management.service.rpc ?? [])
  const transport = network.transport('login', 'directory')
  return { accounts: rpcClient(AccountService, transport), recovery: rpcClient(RecoveryService, transport) }
}
const RPC = { timeoutMs: 5_000 }

describe('a message that is queued while the address is changed', () => {
  it('does not go to the new address, on record', async () => {
    smtp.behave({ at: 'rcpt', code: 451 })
    const userId = await createUser('before@mail.example')
    expect((await invite(userId)).status).toBe(204)
    await expect.poll(outcomes, { timeout: 20_000 }).toEqual([{ failures: 1, outcome: null }])
    const email = { address: 'after@mail.example', verified: false }
    expect((await management.call('PATCH', `/users/${userId}`, { email })).status).toBe(200)
    smtp.behave('accept')
    management.directory.clock.advance(5_000)
    await expect.poll(outcomes, { timeout: 20_000 }).toEqual([{ failures: 2, outcome: 'given_up' }])
    expect(smtp.received).toEqual([])
    const events = await management.directory.audited({ action: 'mail.delivery', targetId: userId })
    expect(pick(events, 'details')).toEqual([{ details: { kind: 'invitation', reason: 'address_changed' } }])
  })
})

describe('the limit of an address', () => {
  it('counts messages to users that were deleted, under a key that does not show the address', async () => {
    for (let turn = 0; turn < 5; turn += 1)
      expect((await inviteAndDelete('stranger@mail.example')).status).toBe(204)
    expect(await inviteAndDelete('Stranger@mail.example')).toMatchObject({
      status: 429,
      body: { details: [{ id: 'mail_limited' }] },
    })
    expect(await management.directory.placesOf('stranger')).toEqual([])
  })
})

describe('the server of a message', () => {
  it('is that of the instance for the proof of an address, which the organization must not read', async () => {
    await setServer()
    const userId = await createUser('somebody@else.example')
    for (const message of ['email-verification', 'invitation'])
      expect((await management.call('POST', `/users/${userId}/${message}`, undefined, 'org')).status).toBe(
        204,
      )
    expect(pick(await queuedMail(management.directory), 'kind', 'smtp')).toEqual([
      { kind: 'email_verification', smtp: null },
      { kind: 'invitation', smtp: 'acme' },
    ])
  })
})

describe('the limit of notices of one kind', () => {
  it('counts for an address, however many people of an organization have it', async () => {
    const users = [await createUser('shared@mail.example'), await createUser('shared@mail.example')]
    await management.directory.rows(
      "UPDATE directory.account SET email_verified = true WHERE email LIKE 'shared%'",
    )
    for (let turn = 0; turn < 4; turn += 1) {
      for (const userId of users) await rpc().recovery.notifyNewSignIn({ userId }, RPC)
    }
    await untilSettled()
    // A message of the test before may arrive now.
    expect(smtp.received.filter(({ to }) => to.includes('shared@mail.example'))).toHaveLength(5)
  })
})

describe('the limit of an organization at the server of the instance', () => {
  it('counts messages to deleted users, names the setting, and ends after a day', async () => {
    for (let turn = 0; turn < DAILY_LIMIT; turn += 1)
      expect((await inviteAndDelete(`stranger-${turn}@mail.example`)).status).toBe(204)
    const userId = await createUser('another@mail.example')
    expect(await invite(userId)).toMatchObject({
      status: 429,
      body: {
        message: expect.stringContaining('SIGNET_SMTP_DAILY_LIMIT'),
        details: [{ id: 'mail_organization_limited' }],
      },
    })
    const elsewhere = await createUser('another@mail.example', 'other')
    expect((await management.call('POST', `/users/${elsewhere}/invitation`)).status).toBe(204)
    management.directory.clock.advance(86_400_000)
    expect((await invite(userId)).status).toBe(204)
  })

  it('does not keep people from a reset that they ask for, only from one that an administrator sends', async () => {
    for (let turn = 0; turn < DAILY_LIMIT; turn += 1) await inviteAndDelete(`stranger-${turn}@mail.example`)
    expect((await management.call('POST', '/users/alice/password-reset')).status).toBe(429)
    await rpc().recovery.requestPasswordReset(
      { loginName: 'alice@acme.localhost', organizationId: '', language: 'en', clientAddress: '203.0.113.7' },
      RPC,
    )
    const toAlice = () => smtp.received.filter(({ to }) => to.includes('Alice@acme.localhost'))
    await expect.poll(toAlice, { timeout: 20_000 }).toHaveLength(1)
  })

  it('holds for notices of what an administrator changes, in each of which an organization may put its own text', async () => {
    const users: string[] = []
    for (const each of [1, 2, 3]) users.push(await createUser(`victim-${each}@mail.example`))
    await management.directory.rows(
      "UPDATE directory.account SET email_verified = true WHERE email LIKE 'victim-%'",
    )
    for (let turn = 0; turn < 4; turn += 1) {
      for (const userId of users) {
        const body = { password: `Violet-harbour-2${turn}` }
        const { status } = await management.call('POST', `/users/${userId}/password`, body, 'org')
        expect(status).toBe(204)
        // Notices that are queued at the same time may pass the limit by their number.
        await untilSettled()
      }
    }
    expect(smtp.received).toHaveLength(DAILY_LIMIT)
  })

  it('does not refuse a registration, whose missing message is logged', async () => {
    for (let turn = 0; turn < DAILY_LIMIT; turn += 1) await inviteAndDelete(`stranger-${turn}@mail.example`)
    const profile = { email: 'new@mail.example', givenName: 'N', familyName: 'C', preferredLanguage: 'en' }
    const { outcome } = await rpc().accounts.register(
      {
        ...profile,
        userName: 'new',
        password: PASSWORD,
        organizationId: 'acme',
        clientAddress: '203.0.113.7',
      },
      RPC,
    )
    expect(outcome.case).toBe('account')
    expect(warnings).toContainEqual([
      'mail_not_queued',
      { userId: expect.any(String), reason: 'organization_limited' },
    ])
  })

  it('does not count messages through the server of the organization', async () => {
    await setServer()
    for (let turn = 0; turn < DAILY_LIMIT; turn += 1)
      expect((await inviteAndDelete(`own-${turn}@mail.example`)).status).toBe(204)
    await management.directory.rows('DELETE FROM directory.organization_smtp')
    expect((await inviteAndDelete('instance@mail.example')).status).toBe(204)
  })

  it('cannot be avoided by removing the server of the organization when messages are queued', async () => {
    await setServer()
    // Without TLS nothing is sent, so the message stays queued.
    await invite(await createUser('queued@mail.example'))
    await expect.poll(outcomes, { timeout: 20_000 }).toEqual([{ failures: 1, outcome: null }])
    expect((await management.call('DELETE', '/organizations/acme/smtp', undefined, 'org')).status).toBe(204)
    management.directory.clock.advance(5_000)
    await expect.poll(outcomes, { timeout: 20_000 }).toEqual([{ failures: 2, outcome: null }])
    expect(smtp.received).toEqual([])
  })
})
