import { rpcClient } from '@signet/grpc/client'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { Secret } from '@signet/platform/config/settings-fields'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
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

beforeAll(async () => {
  smtp = await startSmtpReceiver()
  management = await managementFixture({
    smtp: { url: new Secret(`smtp://localhost:${smtp.port}`), sender: 'Signet <id@signet.example>' },
  })
  const document = sampleDocument()
  acme(document).users?.push(
    ...LANGUAGES.map(([language]) => person(language, { language })),
    ...['late', 'refused', 'unverified'].map((id) => person(id, { verified: id !== 'unverified' })),
  )
  await management.directory.apply(document)
})
afterAll(async () => {
  await management?.stop()
  await smtp?.stop()
})
beforeEach(() => {
  smtp.behave('accept')
  smtp.received.splice(0)
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
const deliveries = () =>
  rows(
    'SELECT kind, user_id, recipient_key, organization_id, language, address, failures FROM directory.mail_delivery',
  )

async function deleteAccount(userId: string) {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  network.serve('directory', management.service.rpc ?? [])
  const own = rpcClient(OwnAccountService, network.transport('login', 'directory'))
  const [epochs] = (await rows(
    `SELECT a.token_epoch AS "userEpoch", o.token_epoch AS "organizationEpoch"
       FROM directory.account a JOIN directory.organization o USING (organization_id) WHERE user_id = '${userId}'`,
  )) as { userEpoch: string; organizationEpoch: string }[]
  const change = {
    userId,
    userEpoch: BigInt(epochs?.userEpoch ?? 0),
    organizationEpoch: BigInt(epochs?.organizationEpoch ?? 0),
  }
  await own.deleteAccount({ change }, { timeoutMs: 20_000 })
}
const untilSent = () => expect.poll(() => smtp.received.length, { timeout: 20_000 }).toBe(1)

it.each(LANGUAGES)('tells the person in language %s, and leaves no row', async (language, subject) => {
  await deleteAccount(language)
  await untilSent()
  const [mail] = smtp.received
  expect(mail).toMatchObject({ to: [`${language}@acme.localhost`], subject })
  expect(mail?.text).toContain(`${language}@acme.localhost`)
  expect(mail?.text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  expect(mail?.text).not.toMatch(/https?:/)
  await expect.poll(deliveries, { timeout: 20_000 }).toEqual([])
})

it('keeps what the message needs, sealed, until a server that is down accepts it', async () => {
  smtp.behave({ at: 'mail', code: 451 })
  await deleteAccount('late')
  await expect.poll(deliveries, { timeout: 20_000 }).toEqual([
    {
      kind: 'account_deleted',
      user_id: null,
      recipient_key: null,
      organization_id: null,
      language: null,
      address: null,
      failures: 1,
    },
  ])
  const stored = JSON.stringify(await rows(`SELECT d::text AS row FROM directory.mail_delivery d`))
  for (const encoded of ['late@acme', Buffer.from('late@acme').toString('hex')]) {
    expect(stored).not.toContain(encoded)
  }
  smtp.behave('accept')
  management.directory.clock.advance(10 * 60_000)
  await untilSent()
  await expect.poll(deliveries, { timeout: 20_000 }).toEqual([])
})

it('leaves no row of a message that a server refuses for good, and records it', async () => {
  smtp.behave({ at: 'rcpt', code: 550 })
  await deleteAccount('refused')
  await expect.poll(deliveries, { timeout: 20_000 }).toEqual([])
  const [event] = await rows(
    `SELECT action, target_kind, result, details FROM directory.audit_event ORDER BY at DESC LIMIT 1`,
  )
  expect(event).toMatchObject({
    action: 'mail.delivery',
    target_kind: 'mail',
    result: 'failed',
    details: { kind: 'account_deleted' },
  })
  expect(JSON.stringify(event)).not.toContain('refused@')
})

it('goes to verified addresses only', async () => {
  await deleteAccount('unverified')
  expect(await deliveries()).toEqual([])
  expect(await rows(`SELECT FROM directory.account WHERE user_id = 'unverified'`)).toEqual([])
})
