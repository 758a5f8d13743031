import { rpcClient } from '@signet/grpc/client'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { Secret } from '@signet/platform/config/settings-fields'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { queuedMail } from './queued-mail.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'

const NEW_PASSWORD = 'Another-horse-10'
const RPC = { timeoutMs: 5_000 }

let smtp: SmtpReceiver
let management: ManagementFixture
const client = () => {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  network.serve('directory', management.service.rpc ?? [])
  const transport = network.transport('login', 'directory')
  return {
    recovery: rpcClient(RecoveryService, transport),
    ownAccounts: rpcClient(OwnAccountService, transport),
  }
}
let { recovery, ownAccounts } = {} as ReturnType<typeof client>

beforeAll(async () => {
  smtp = await startSmtpReceiver()
  const url = new Secret(`smtp://localhost:${smtp.port}`)
  management = await managementFixture({ smtp: { url, sender: 'id@signet.example', dailyLimit: 0 } })
  ;({ recovery, ownAccounts } = client())
  const document = sampleDocument()
  const profile = { givenName: 'Bob', familyName: 'Example' }
  acme(document).users?.push(
    {
      id: 'bob',
      userName: 'bob',
      profile,
      email: { address: 'bob@a.example', verified: true },
      password: PASSWORD,
    },
    { id: 'erin', userName: 'erin', profile, email: { address: 'erin@a.example', verified: false } },
  )
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(async () => {
  await management?.stop()
  await smtp?.stop()
})
beforeEach(async () => {
  smtp.received.splice(0)
  await management.directory.rows('DELETE FROM directory.mail_delivery')
})

const present = (secret: string, purpose: string, clientAddress = '203.0.113.7') => ({
  token: { secret, purpose, clientAddress },
})
const setPassword = (secret: string, purpose = 'password_reset', clientAddress?: string) =>
  recovery.setPassword({ ...present(secret, purpose, clientAddress), password: NEW_PASSWORD }, RPC)
async function send(path: string) {
  expect((await management.call('POST', path)).status).toBe(204)
  // A message about a changed password may come, too.
  const withLink = () => smtp.received.find(({ text }) => text.includes('?token='))
  await expect.poll(withLink, { timeout: 20_000 }).toBeDefined()
  const text = withLink()?.text ?? ''
  return {
    token: /[?]token=([\w-]+)/.exec(text)?.[1] ?? '',
    code: /\b[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(text)?.[0] ?? '',
  }
}

describe('a login policy that forbids passwords', () => {
  const forbid = (allowUsernamePassword: boolean) =>
    management.directory.rows(
      `INSERT INTO directory.organization_policy (organization_id, kind, document)
       VALUES ('acme', 'login', jsonb_build_object('allowUsernamePassword', $1::boolean))
           ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
      [allowUsernamePassword],
    )
  beforeEach(() => async () => {
    await management.directory.rows(
      `DELETE FROM directory.organization_policy WHERE organization_id = 'acme' AND kind = 'login'`,
    )
  })

  it('refuses to send an invitation', async () => {
    await forbid(false)
    expect(await management.call('POST', '/users/erin/invitation')).toMatchObject({
      status: 400,
      body: { details: [{ id: 'password_sign_in_not_allowed' }] },
    })
    expect(await queuedMail(management.directory)).toEqual([])
  })

  it.each([
    ['an invitation', '/users/erin/invitation', 'invitation'],
    ['a reset', '/users/bob/password-reset', 'password_reset'],
  ])('refuses %s that was sent before', async (_, path, purpose) => {
    const { token } = await send(path)
    await forbid(false)
    const refused = { refused: 'password_sign_in_not_allowed' }
    expect(await recovery.checkMailToken(present(token, purpose), RPC)).toMatchObject(refused)
    expect(await setPassword(token, purpose)).toMatchObject(refused)
    await forbid(true)
    expect(await setPassword(token, purpose)).toMatchObject({ refused: '' })
  })
})

it('records refused links and codes without the link or code, 20 links of one network in an hour and every code', async () => {
  const { token, code } = await send('/users/bob/password-reset')
  const from = (secret: string, purpose = 'password_reset') =>
    recovery.checkMailToken(present(secret, purpose, '198.51.100.20'), RPC)
  const refusals = async () =>
    (await management.directory.audited({ result: 'refused' }))
      .filter((event) => event.clientAddress === '198.51.100.20')
      .toReversed()
  const ofBob = (action: string, reason: string) => ({
    ...{ action, actorKind: 'anonymous', targetId: 'bob', organizationId: 'acme' },
    details: { reason },
  })
  await from(token, 'invitation')
  await from('no token')
  await from('0000-0000-0000')
  management.directory.clock.advance(600_000)
  await from(code)
  expect(await setPassword(token)).toMatchObject({ refused: '' })
  await setPassword(token, 'password_reset', '198.51.100.20')
  expect(await refusals()).toMatchObject([
    ofBob('invitation.accept', 'other_purpose'),
    { action: 'password.reset', targetId: undefined, details: { reason: 'unknown' } },
    { action: 'password.reset', targetId: undefined, details: { reason: 'unknown' } },
    ofBob('password.reset', 'expired'),
    ofBob('password.reset', 'spent'),
  ])
  for (let turn = 0; turn < 30; turn += 1) await from('x'.repeat(43))
  const codes = 2
  expect(await refusals()).toHaveLength(20 + codes)
  await from('0000-0000-0000')
  const events = await refusals()
  expect(events).toHaveLength(20 + codes + 1)
  const texts = JSON.stringify(events)
  for (const secret of [token, code, 'no token', '0000-0000-0000', 'x'.repeat(43)])
    expect(texts).not.toContain(secret)
})

it('refuses codes in opened links, which spend no try of the network', async () => {
  const { token, code } = await send('/users/bob/password-reset')
  const clientAddress = '198.51.100.30'
  const opened = async (secret: string) => {
    const request = { ...present(secret, 'password_reset', clientAddress), ofLink: true }
    const reset = await recovery.checkMailToken(request, RPC)
    const change = await ownAccounts.findEmailChange({ secret, clientAddress }, RPC)
    return [reset.refused, change.refused]
  }
  for (let turn = 0; turn < 15; turn += 1) expect(await opened(code)).toEqual(['invalid', 'invalid'])
  expect((await opened(token))[0]).toBe('')
  const recorded = (await management.directory.audited()).filter(
    (event) => event.clientAddress === clientAddress,
  )
  expect(recorded, 'as many as of unknown links').toHaveLength(20)
  const typed = present(code, 'password_reset', clientAddress)
  expect((await recovery.checkMailToken(typed, RPC)).refused).toBe('')
})
