import { Secret } from '@signet/platform/config/settings-fields'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'

const DAILY_LIMIT = 8

let smtp: SmtpReceiver
let management: ManagementFixture

beforeAll(async () => {
  smtp = await startSmtpReceiver()
  const url = new Secret(`smtp://localhost:${smtp.port}`)
  management = await managementFixture({
    smtp: { url, sender: 'id@signet.example', dailyLimit: DAILY_LIMIT },
  })
  const document = sampleDocument()
  document.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost' })
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
const outcomes = () =>
  management.directory.rows('SELECT failures, outcome FROM directory.mail_delivery ORDER BY created_at')

describe('the limit of an address', () => {
  it('counts messages to users that were deleted, under a key that does not show the address', async () => {
    for (let turn = 0; turn < 5; turn += 1)
      expect((await inviteAndDelete('stranger@mail.example')).status).toBe(204)
    expect(await inviteAndDelete('Stranger@mail.example')).toMatchObject({
      status: 429,
      body: { details: [{ id: 'mail_limited' }] },
    })
    const rows = await management.directory.rows<{ row: string }>(
      'SELECT mail_delivery::text AS row FROM directory.mail_delivery',
    )
    expect(rows).toHaveLength(5)
    expect(rows.map(({ row }) => row).join()).not.toMatch(/stranger/i)
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
