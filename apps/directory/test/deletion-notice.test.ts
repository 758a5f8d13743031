import { rpcClient } from '@signet/grpc/client'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { Secret } from '@signet/platform/config/settings-fields'
import { type LogFields, silentLogger } from '@signet/platform/logger/logger'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { queuedMail } from './queued-mail.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'

const LANGUAGES = [
  ['en', 'Your account was deleted'],
  ['de', 'Ihr Konto wurde gelöscht'],
  ['fr', 'Votre compte a été supprimé'],
  ['ar', 'تم حذف حسابك'],
  ['ja', 'アカウントが削除されました'],
] as const

let smtp: SmtpReceiver
let management: ManagementFixture
const warnings: [string, LogFields | undefined][] = []

beforeAll(async () => {
  smtp = await startSmtpReceiver()
  management = await managementFixture({
    logger: { ...silentLogger, warn: (message, fields) => void warnings.push([message, fields]) },
    smtp: {
      url: new Secret(`smtp://localhost:${smtp.port}`),
      sender: 'Signet <id@signet.example>',
      dailyLimit: 2,
    },
  })
  const document = sampleDocument()
  acme(document).users?.push(
    ...LANGUAGES.map(([language]) => person(language, { language })),
    ...['late', 'refused', 'unverified', 'after', 'limited', 'unsent'].map((id) =>
      person(id, { verified: id !== 'unverified' }),
    ),
  )
  acme(document).users?.push({
    ...person('invited', { verified: false }),
    password: undefined,
  })
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(async () => {
  await management?.stop()
  await smtp?.stop()
})
beforeEach(() => {
  smtp.behave('accept')
  smtp.received.splice(0)
  warnings.splice(0)
  return () => rows('DELETE FROM directory.mail_delivery')
})

function person(id: string, { language = 'en', verified = true }) {
  return {
    id,
    userName: id,
    profile: { givenName: 'Bob', familyName: 'Example', preferredLanguage: language },
    email: { address: `${id}@acme.localhost`, verified },
    password: PASSWORD,
  }
}

const rows = (text: string) => management.directory.rows(text)
const deliveries = () => queuedMail(management.directory)
const delivery = (more: object) => ({
  ...{
    kind: 'account_deleted',
    userId: null,
    counts: true,
    organizationId: 'acme',
    language: null,
    smtp: null,
  },
  ...{ address: null, failures: 0, outcome: null, isSealed: true, ...more },
})
const settled = (outcome: string, more = {}) => delivery({ outcome, isSealed: false, ...more })
const untilSettled = (row: object) => expect.poll(deliveries, { timeout: 20_000 }).toEqual([row])

async function deleteAccount(userId: string) {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  network.serve('directory', management.service.rpc ?? [])
  const own = rpcClient(OwnAccountService, network.transport('login', 'directory'))
  const change = {
    userId,
    userEpoch: BigInt((await management.directory.epochOf('account', userId)) ?? 0),
    organizationEpoch: BigInt((await management.directory.epochOf('organization', 'acme')) ?? 0),
  }
  await own.deleteAccount({ change }, { timeoutMs: 20_000 })
}
const untilSent = () => expect.poll(() => smtp.received.length, { timeout: 20_000 }).toBe(1)

it.each(LANGUAGES)('tells the person in language %s, and keeps no address', async (language, subject) => {
  await deleteAccount(language)
  await untilSent()
  const [mail] = smtp.received
  expect(mail).toMatchObject({ to: [`${language}@acme.localhost`], subject })
  expect(mail?.text).toContain(`${language}@acme.localhost`)
  expect(mail?.text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  expect(mail?.text).not.toMatch(/https?:/)
  await untilSettled(settled('delivered'))
})

it('keeps what the message needs, sealed, until a server that is down accepts it', async () => {
  smtp.behave({ at: 'mail', code: 451 })
  await deleteAccount('late')
  await untilSettled(delivery({ failures: 1 }))
  expect(await management.directory.placesOf('late@acme')).toEqual([])
  smtp.behave('accept')
  management.directory.clock.advance(10 * 60_000)
  await untilSent()
  await untilSettled(settled('delivered', { failures: 1 }))
})

it('keeps no address of a message that a server refuses for good, and records it', async () => {
  smtp.behave({ at: 'rcpt', code: 550 })
  await deleteAccount('refused')
  await untilSettled(settled('given_up', { failures: 1 }))
  const [event] = await management.directory.audited()
  expect(event).toMatchObject({
    action: 'mail.delivery',
    targetKind: 'mail',
    result: 'failed',
    details: { kind: 'account_deleted' },
  })
  expect(JSON.stringify(event)).not.toContain('refused@')
})

it('goes to verified addresses only', async () => {
  await deleteAccount('unverified')
  expect(await deliveries()).toEqual([])
  expect(await management.directory.epochOf('account', 'unverified')).toBeUndefined()
  await deleteAccount('after')
  await untilSent()
  expect(smtp.received.map(({ to }) => to)).toEqual([['after@acme.localhost']])
})

it('counts for the limit of the organization, which does not refuse it', async () => {
  const invite = async () => (await management.call('POST', '/users/invited/invitation')).status
  expect([await invite(), await invite()]).toEqual([204, 204])
  await deleteAccount('limited')
  await expect.poll(() => smtp.received.flatMap(({ to }) => to)).toContain('limited@acme.localhost')
  await rows(`DELETE FROM directory.mail_delivery WHERE kind = 'invitation'`)
  expect([await invite(), await invite()]).toEqual([204, 429])
})

it('gives up a notice without a person, which no master key would open', async () => {
  await rows(
    `INSERT INTO directory.mail_delivery (day, kind, created_at, due_at)
     SELECT 1, 'account_deleted', at, at FROM (VALUES (timestamptz '1970-01-02')) AS t (at)`,
  )
  await untilSettled(settled('given_up', { failures: 1, counts: false, organizationId: null }))
  const [event] = await management.directory.audited()
  expect(event?.details).toEqual({ kind: 'account_deleted', reason: 'no_recipient' })
})

it('logs a notice that no server sends', async () => {
  await rows('UPDATE directory.setting SET sends_mail = false')
  await deleteAccount('unsent')
  expect(await deliveries()).toEqual([])
  expect(warnings).toEqual([
    ['mail_not_queued', { userId: 'unsent', reason: 'no_server', kind: 'account_deleted' }],
  ])
})
