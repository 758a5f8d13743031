import { rpcClient } from '@signet/grpc/client'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { ImpersonationService } from '@signet/grpc/gen/directory/v1/impersonation_service_pb'
import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { Secret } from '@signet/platform/config/settings-fields'
import { decodeBase32 } from '@signet/tokens/identifiers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultAuthenticator, totpCode } from '../src/credentials/totp.ts'
import { createMailOutboxes } from '../src/mail/mail-outbox.repository.ts'
import { acme, PASSWORD, pick, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { queuedMail } from './queued-mail.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'

const NEW_PASSWORD = 'Another-horse-10'

let smtp: SmtpReceiver
let management: ManagementFixture
const client = () => {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  network.serve('directory', management.service.rpc ?? [])
  const transport = network.transport('login', 'directory')
  return {
    recovery: rpcClient(RecoveryService, transport),
    accounts: rpcClient(AccountService, transport),
    credentials: rpcClient(CredentialService, transport),
    impersonations: rpcClient(ImpersonationService, transport),
  }
}
let recovery: ReturnType<typeof client>['recovery']
let accounts: ReturnType<typeof client>['accounts']
let credentials: ReturnType<typeof client>['credentials']
let impersonations: ReturnType<typeof client>['impersonations']

beforeAll(async () => {
  smtp = await startSmtpReceiver()
  management = await managementFixture({
    smtp: { url: new Secret(`smtp://localhost:${smtp.port}`), sender: 'Signet <id@signet.example>' },
  })
  ;({ recovery, accounts, credentials, impersonations } = client())
  const document = sampleDocument()
  acme(document).users?.push(
    { id: 'bob', userName: 'bob', ...person('bob@acme.localhost', true), password: PASSWORD },
    { id: 'carol', userName: 'carol', ...person('carol@acme.localhost', false) },
    { id: 'dave', userName: 'dave', ...person('dave@acme.localhost', false), password: PASSWORD },
  )
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('org', { roles: ['ORG_OWNER acme'] })
})
afterAll(async () => {
  await management?.stop()
  await smtp?.stop()
})
beforeEach(async () => {
  smtp.behave('accept')
  smtp.received.splice(0)
  management.published.splice(0)
  // Past the limits of an hour.
  management.directory.clock.advance(2 * 3_600_000)
  await management.directory.rows(`DELETE FROM directory.mail_delivery`)
  await management.directory.rows(`DELETE FROM directory.organization_smtp`)
})

function person(address: string, verified: boolean) {
  return { profile: { givenName: 'Bob', familyName: 'Example' }, email: { address, verified } }
}

const request = (loginName: string, language = 'en') =>
  recovery.requestPasswordReset(
    { loginName, organizationId: '', language, clientAddress: '203.0.113.7' },
    RPC,
  )
const RPC = { timeoutMs: 5_000 }
const present = (secret: string, purpose = 'password_reset', clientAddress = '203.0.113.7') => ({
  token: { secret, purpose, clientAddress },
})
const setPassword = (secret: string, password = NEW_PASSWORD, purpose = 'password_reset') =>
  recovery.setPassword({ ...present(secret, purpose), password }, RPC)
const tokenOf = (text: string) => /[?]token=([\w-]+)/.exec(text)?.[1] ?? ''
const codeOf = (text: string) => /\b[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(text)?.[0] ?? ''
const deliveries = () => queuedMail(management.directory)
async function nextMail(subject: string) {
  await expect
    .poll(() => smtp.received.filter((mail) => mail.subject === subject).length, { timeout: 20_000 })
    .toBeGreaterThan(0)
  const mail = smtp.received.findLast((received) => received.subject === subject)
  if (mail === undefined) throw new Error('no message')
  return mail
}
/** Adds an authenticator app, as the own page of a person does. */
async function enrol(userId: string) {
  const { secret, enrolment } = await accounts.beginTotp({ userId }, RPC)
  const time = Math.floor(management.directory.clock.now().getTime() / 30_000)
  const code = totpCode(defaultAuthenticator(decodeBase32(secret) ?? Buffer.alloc(0)), time)
  expect(await accounts.confirmTotp({ userId, enrolment, code }, RPC)).toMatchObject({ accepted: true })
}
const untilSettled = () =>
  expect
    .poll(async () => (await deliveries()).filter(({ outcome }) => outcome === null).length, {
      timeout: 20_000,
    })
    .toBe(0)

/** Gives a person an address, as the database of an earlier version may have it. */
const giveAddress = (userId: string, address: string, isVerified = true) =>
  management.directory.rows(
    'UPDATE directory.account SET email = $1, email_key = lower($1), email_verified = $2 WHERE user_id = $3',
    [address, isVerified, userId],
  )

describe('a forgotten password', () => {
  it('sends a link and a code as text and HTML, under the issuer', async () => {
    await request('bob')
    const mail = await nextMail('Reset your password')
    expect(mail).toMatchObject({ from: 'id@signet.example', to: ['bob@acme.localhost'] })
    expect(mail.text).toContain('http://localhost:8080/ui/password/reset?token=')
    expect(mail.html).toContain(`http://localhost:8080/ui/password/reset?token=${tokenOf(mail.text)}`)
    expect(mail.headers).toContain('Auto-Submitted: auto-generated')
    expect(codeOf(mail.text)).not.toBe('')
    await untilSettled()
    expect((await deliveries()).map(({ isSealed }) => isSealed)).toEqual([false, false])
  })

  it.each([
    ['de', 'Passwort zurücksetzen', 'Guten Tag'],
    ['fr', 'Réinitialisation de votre mot de passe', 'Bonjour'],
    ['ar', 'إعادة تعيين كلمة المرور', 'مرحبًا'],
    ['ja', 'パスワードの再設定', 'ありがとうございます'],
  ])('sends it in the language of the page: %s', async (language, subject, greeting) => {
    await request('bob', language)
    expect((await nextMail(subject)).text).toContain(greeting)
  })

  it('sets the password once by the link, ends everything else and tells the person', async () => {
    await request('bob')
    const token = tokenOf((await nextMail('Reset your password')).text)
    expect(await recovery.checkMailToken(present(token), RPC)).toMatchObject({
      refused: '',
      organizationId: 'acme',
    })
    expect(await setPassword(token, 'short')).toMatchObject({ problems: ['password_too_short'] })
    expect(await setPassword(token, 'Summer2026!')).toMatchObject({ problems: ['password_weak'] })
    expect(await setPassword(token, 'acme.localhost1')).toMatchObject({ problems: ['password_weak'] })
    expect(await setPassword(token)).toMatchObject({ refused: '', problems: [] })
    expect(management.published.flat()).toEqual([expect.stringMatching(/^USER bob \d+$/)])
    expect(management.forgotten.map(([userId]) => userId)).toContain('bob')
    expect(await setPassword(token)).toMatchObject({ refused: 'invalid' })
    await nextMail('Your password was changed')
    const events = await management.directory.audited({ targetId: 'bob' })
    expect(events.map(({ action }) => action)).toContain('password.reset')
  })

  it('reaches each account of an address that several have, each for itself', async () => {
    await giveAddress('bob', 'shared@acme.example')
    await giveAddress('dave', 'Shared@Acme.example')
    await request('shared@acme.example')
    await expect
      .poll(() => smtp.received.filter(({ subject }) => subject === 'Reset your password').length, {
        timeout: 20_000,
      })
      .toBe(2)
    const links = smtp.received.map(({ text }) => tokenOf(text))
    const named = await Promise.all(links.map((link) => recovery.checkMailToken(present(link), RPC)))
    expect(named.map(({ userId }) => userId).sort()).toEqual(['bob', 'dave'])
    await giveAddress('bob', 'bob@acme.localhost')
    await giveAddress('dave', 'dave@acme.localhost', false)
  })

  it('keeps the second factor of the account [F-35]', async () => {
    await request('alice')
    expect(await setPassword(tokenOf((await nextMail('Reset your password')).text))).toMatchObject({
      refused: '',
    })
    expect(await accounts.findSecondFactor({ userId: 'alice' }, RPC)).toMatchObject({ totp: true })
  })

  it('lets one of two uses at once succeed [fault.mail-link-once]', async () => {
    await request('bob')
    const token = tokenOf((await nextMail('Reset your password')).text)
    const outcomes = await Promise.all([
      setPassword(token, 'First-horse-11'),
      setPassword(token, 'Other-horse-12'),
    ])
    expect(outcomes.map(({ refused }) => refused).sort()).toEqual(['', 'invalid'])
  })

  it('accepts the code as it may be typed, for ten minutes', async () => {
    await request('bob')
    const code = codeOf((await nextMail('Reset your password')).text)
    expect(
      await recovery.checkMailToken(present(` ${code.toLowerCase().replaceAll('-', ' ')}`), RPC),
    ).toMatchObject({
      refused: '',
    })
    management.directory.clock.advance(600_000)
    expect(await setPassword(code)).toMatchObject({ refused: 'invalid' })
  })

  it('limits the wrong codes that one network types, over an hour and again in the next', async () => {
    const type = async (code: string) =>
      (await recovery.checkMailToken(present(code, 'password_reset', '198.51.100.9'), RPC)).refused
    const guesses = async () => {
      const answers: string[] = []
      for (let turn = 0; turn < 120; turn += 1) {
        management.directory.clock.advance(20_000)
        answers.push(await type('0000-0000-0000'))
      }
      return answers
    }
    const limited = [...Array(100).fill('invalid'), ...Array(20).fill('throttled')]
    expect(await guesses()).toEqual(limited)
    // The last of the hundred has left after an hour.
    management.directory.clock.advance(60 * 60_000)
    expect(await guesses()).toEqual(limited)
  })

  it('does not count right codes against the network that types them', async () => {
    await request('bob')
    const code = codeOf((await nextMail('Reset your password')).text)
    const type = (secret: string) =>
      recovery.checkMailToken(present(secret, 'password_reset', '198.51.100.10'), RPC)
    for (let turn = 0; turn < 120; turn += 1) expect((await type(code)).refused).toBe('')
    for (let turn = 0; turn < 100; turn += 1) expect((await type('0000-0000-0000')).refused).toBe('invalid')
    expect((await type('0000-0000-0000')).refused).toBe('throttled')
  })

  it('refuses a link after an hour', async () => {
    await request('bob')
    const token = tokenOf((await nextMail('Reset your password')).text)
    management.directory.clock.advance(3_600_000)
    expect(await setPassword(token)).toMatchObject({ refused: 'invalid' })
  })

  it.each([
    [
      'another password',
      `UPDATE directory.account_password SET changed_at = changed_at + interval '1 second' WHERE user_id = 'bob'`,
    ],
    [
      'another address',
      `UPDATE directory.account SET email = 'b@x.localhost', email_key = 'b@x.localhost' WHERE user_id = 'bob'`,
    ],
    ['deactivation', `UPDATE directory.account SET state = 'inactive' WHERE user_id = 'bob'`],
  ])('refuses a link after %s', async (_, change) => {
    await request('bob')
    const token = tokenOf((await nextMail('Reset your password')).text)
    await management.directory.rows(change)
    expect(await setPassword(token)).toMatchObject({ refused: 'invalid' })
    await management.directory.rows(
      `UPDATE directory.account SET state = 'active', email = 'bob@acme.localhost', email_key = 'bob@acme.localhost' WHERE user_id = 'bob'`,
    )
  })

  it('refuses a link for another purpose [fault.reset-step]', async () => {
    await request('bob')
    const token = tokenOf((await nextMail('Reset your password')).text)
    expect(await setPassword(token, NEW_PASSWORD, 'invitation')).toMatchObject({ refused: 'invalid' })
    const verification = { ...present(token, 'email_verification'), userId: 'bob' }
    expect(await recovery.verifyEmail(verification, RPC)).toMatchObject({ refused: 'invalid' })
  })

  it('responds alike for unknown names, unverified addresses and known accounts, and resets a proven address only [F-32]', async () => {
    const responses = [await request('nobody'), await request('dave'), await request('bob')]
    expect(new Set(responses.map(({ throttled }) => throttled))).toEqual(new Set([false]))
    await nextMail('Reset your password')
    await untilSettled()
    expect(smtp.received.map(({ to, subject }) => [to, subject]).toSorted()).toEqual([
      [['bob@acme.localhost'], 'Reset your password'],
      [['dave@acme.localhost'], 'Confirm your e-mail address'],
    ])
  })

  it('lets the code that proves an address set a password, which ends what could sign in before', async () => {
    await giveAddress('dave', 'dave@acme.localhost', false)
    await enrol('dave')
    await request('dave')
    const { text } = await nextMail('Confirm your e-mail address')
    expect(text).not.toContain('Asked for by')
    for (const secret of [codeOf(text), tokenOf(text)])
      expect(await recovery.checkMailToken(present(secret), RPC)).toMatchObject({
        ...{ refused: '', userId: 'dave', provesAddress: true },
      })
    expect(await setPassword(codeOf(text), NEW_PASSWORD, 'invitation')).toMatchObject({ refused: 'invalid' })
    expect(await setPassword(codeOf(text))).toMatchObject({ refused: '' })
    expect(await accounts.findSecondFactor({ userId: 'dave' }, RPC)).toMatchObject({ totp: false })
    expect((await management.call('GET', '/users/dave')).body).toMatchObject({ email: { verified: true } })
    await giveAddress('dave', 'dave@acme.localhost', false)
  })

  it('limits the requests of one network for one name and for all, and allows them again after an hour', async () => {
    const ask = async (loginName: string) =>
      (await recovery.requestPasswordReset({ loginName, language: 'en', clientAddress: '198.51.100.2' }, RPC))
        .throttled
    const fill = async () => {
      const ofOne: boolean[] = []
      for (const name of ['somebody', 'Somebody', ' somebody', 'somebody', 'somebody', 'somebody']) {
        management.directory.clock.advance(10_000)
        ofOne.push(await ask(name))
      }
      const ofAll: boolean[] = []
      for (let turn = 0; turn < 100; turn += 1) {
        management.directory.clock.advance(10_000)
        ofAll.push(await ask(`colleague-${turn}`))
      }
      return { ofOne, ofAll }
    }
    const limited = {
      ofOne: [...Array(5).fill(false), true],
      ofAll: [...Array(95).fill(false), ...Array(5).fill(true)],
    }
    expect(await fill()).toEqual(limited)
    management.directory.clock.advance(60 * 60_000)
    expect(await fill()).toEqual(limited)
  }, 120_000)

  it('limits the messages to one person', async () => {
    const from = (address: string) =>
      recovery.requestPasswordReset({ loginName: 'bob', language: 'en', clientAddress: address }, RPC)
    for (let turn = 0; turn < 5; turn += 1) expect((await from('198.51.100.1')).throttled).toBe(false)
    expect((await from('198.51.100.1')).throttled).toBe(true)
    for (let turn = 0; turn < 5; turn += 1) expect((await from('198.51.100.3')).throttled).toBe(false)
    await untilSettled()
    expect(smtp.received).toHaveLength(5)
    const events = (await management.directory.audited({ action: 'password_reset.request' })).slice(0, 10)
    expect(events.map(({ result }) => result).toSorted()).toEqual([
      ...Array(5).fill('refused'),
      ...Array(5).fill('success'),
    ])
  })

  it('sends nothing where the login policy hides the reset', async () => {
    await management.call('PUT', '/organizations/acme/policies/login', { hidePasswordReset: true })
    await request('bob')
    await untilSettled()
    expect(smtp.received).toEqual([])
    const [view] = await management.directory.rows(
      `SELECT offered FROM directory_read.password_reset_v1 WHERE organization_id = 'acme'`,
    )
    expect(view).toEqual({ offered: false })
    await management.call('DELETE', '/organizations/acme/policies/login')
  })
})

describe('notices', () => {
  const origin = { agent: 'Firefox, Linux', clientAddress: '2001:db8::7' }
  const notify = (userId: string) => recovery.notifyNewSignIn({ userId, ...origin }, RPC)

  it('tell a person about a new sign-in, a set password, and factors that come and go', async () => {
    await notify('bob')
    const mail = await nextMail('New sign-in to your account')
    expect(mail.to).toEqual(['bob@acme.localhost'])
    expect(mail.text).toMatch(/bob@acme\.localhost with your password on \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    expect(mail.text).toContain('\nBrowser: Firefox, Linux\nNetwork address: 2001:db8::7\n')
    expect(mail.text).not.toContain('http')
    const password = 'Fourth-horse-12'
    expect((await management.call('POST', '/users/bob/password', { password })).status).toBe(204)
    await nextMail('Your password was changed')
    await enrol('bob')
    await nextMail('A way to sign in was added')
    expect((await management.call('DELETE', '/users/bob/totp')).status).toBe(204)
    await nextMail('A way to sign in was removed')
    await untilSettled()
    expect(smtp.received).toHaveLength(4)
  })

  it('tell a person about a new browser with its sign-in, once no other step is needed', async () => {
    const password = 'Fifth-horse-13'
    expect((await management.call('POST', '/users/bob/password', { password })).status).toBe(204)
    await nextMail('Your password was changed')
    const attempt = { loginName: 'bob', organizationId: 'acme', announceNewBrowser: true, ...origin }
    expect(await credentials.verifyPassword({ ...attempt, password: 'wrong' }, RPC)).toMatchObject({
      newBrowserAnnounced: false,
    })
    const announced = await credentials.verifyPassword({ ...attempt, password }, RPC)
    expect(announced).toMatchObject({ account: { userId: 'bob' }, newBrowserAnnounced: true })
    const mail = await nextMail('New sign-in to your account')
    expect(mail.text).toContain('\nBrowser: Firefox, Linux\nNetwork address: 2001:db8::7\n')
    await enrol('bob')
    await nextMail('A way to sign in was added')
    expect(await credentials.verifyPassword({ ...attempt, password }, RPC)).toMatchObject({
      account: { secondFactorRequired: true },
      newBrowserAnnounced: false,
    })
    expect((await management.call('DELETE', '/users/bob/totp')).status).toBe(204)
    await nextMail('A way to sign in was removed')
    await untilSettled()
    expect(smtp.received).toHaveLength(4)
  })

  it('tell a person who acted as them, when and why, without a link', async () => {
    const security = { enableImpersonation: true }
    expect((await management.call('PUT', '/v2/features/instance', { oidcTokenExchange: true })).status).toBe(
      200,
    )
    expect((await management.call('PATCH', '/v2/policies/security', security)).status).toBe(200)
    const policy = { allowImpersonation: true }
    expect((await management.call('PATCH', '/organizations/acme/policies/login', policy)).status).toBe(200)
    expect(
      (await management.call('PUT', '/members/dave', { roles: ['IAM_ADMIN_IMPERSONATOR'] })).status,
    ).toBe(200)
    const reasons = ['Ticket 4711: the report stays empty', 'Look at https://evil.example/ now']
    for (const reason of reasons) {
      const authTime = Math.floor(management.directory.clock.now().getTime() / 1000)
      const dave = { userId: 'dave', organizationId: 'acme', roles: ['IAM_ADMIN_IMPERSONATOR'] }
      management.bearers.set('dave', { ...dave, isPerson: true, authTime })
      const made = await management.call('POST', '/users/bob/impersonations', { reason }, 'dave')
      const token = new URL(made.body.url).searchParams.get('token') ?? ''
      const begun = await impersonations.beginImpersonation(
        { token, administratorId: 'dave', clientAddress: '192.0.2.7' },
        RPC,
      )
      expect(begun.refusedRule).toBe('')
      const mail = await nextMail('An administrator acted as you')
      expect(mail.to).toEqual(['bob@acme.localhost'])
      expect(mail.text).toMatch(/signed in as bob@acme\.localhost on \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
      expect(mail.text).toContain('\nAdministrator: Bob Example\n')
      expect(mail.text.includes('Reason: Ticket 4711: the report stays empty\n')).toBe(reason === reasons[0])
      expect(mail.text).not.toContain('http')
      smtp.received.splice(0)
    }
    expect((await management.call('DELETE', '/members/dave')).status).toBe(204)
    expect((await management.call('DELETE', '/organizations/acme/policies/login')).status).toBe(204)
  })

  it('go to verified addresses only, and not for a change that failed', async () => {
    await notify('dave')
    await notify('nobody')
    expect((await management.call('DELETE', '/users/bob/totp')).status).toBe(404)
    await untilSettled()
    expect(await deliveries()).toEqual([])
  })

  it('have a limit of their own, which resets do not use up', async () => {
    for (let at = 0; at < 6; at += 1) await request('bob')
    await untilSettled()
    for (let at = 0; at < 7; at += 1) await notify('bob')
    await untilSettled()
    const subjects = smtp.received.map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject === 'Reset your password')).toHaveLength(5)
    expect(subjects.filter((subject) => subject === 'New sign-in to your account')).toHaveLength(5)
    management.directory.clock.advance(2 * 3_600_000)
    for (let at = 0; at < 5; at += 1) await notify('bob')
    await untilSettled()
    smtp.received.splice(0)
    await request('bob')
    await nextMail('Reset your password')
  })

  it('have texts that an organization can replace', async () => {
    const path = '/organizations/acme/message-texts/new-sign-in/en'
    const texts = { subject: 'Hello {{.UserName}}, at {{.Time}}' }
    expect((await management.call('PUT', path, texts, 'org')).status).toBe(200)
    await notify('bob')
    await expect
      .poll(() => smtp.received.at(0)?.subject, { timeout: 20_000 })
      .toMatch(/^Hello bob, at .* UTC$/)
    await management.call('DELETE', path, undefined, 'org')
  })
})

describe('the outbox', () => {
  const retriedAfter = async (waitMs: number, failures: number) => {
    await expect.poll(async () => (await deliveries()).at(0)?.failures, { timeout: 20_000 }).toBe(failures)
    management.directory.clock.advance(waitMs)
  }

  it('sends again after a temporary refusal, under the same Message-ID and link', async () => {
    smtp.behave('dies_after_data')
    await request('bob')
    await retriedAfter(5_000, 1)
    smtp.behave({ at: 'rcpt', code: 451 })
    await retriedAfter(30_000, 2)
    smtp.behave('accept')
    await untilSettled()
    expect(smtp.received).toHaveLength(2)
    expect(new Set(smtp.received.map(({ messageId }) => messageId)).size).toBe(1)
    expect(new Set(smtp.received.map(({ text }) => tokenOf(text))).size).toBe(1)
    expect(await setPassword(tokenOf(smtp.received[0]?.text ?? ''))).toMatchObject({ refused: '' })
  })

  it('gives up at once when the server refuses the recipient for good, on record', async () => {
    smtp.behave({ at: 'rcpt', code: 550 })
    await request('bob')
    await untilSettled()
    expect(await deliveries()).toMatchObject([
      { kind: 'password_reset', failures: 1, outcome: 'given_up' },
      {},
    ])
    const events = await management.directory.audited({ action: 'mail.delivery' })
    expect(pick(events, 'targetId', 'result', 'details')).toContainEqual({
      targetId: 'bob',
      result: 'failed',
      details: { kind: 'password_reset', reason: 'status_550' },
    })
  })

  it('leaves a message of a replica that stopped to another one', async () => {
    await management.directory.rows(
      `INSERT INTO directory.mail_delivery (day, delivery_id, kind, user_id, created_at, due_at)
       VALUES (1, 'left', 'password_changed', 'bob', $1, $2)`,
      [management.directory.clock.now(), new Date(management.directory.clock.now().getTime() + 1_000)],
    )
    const [instance] = createMailOutboxes(management.directory.owner)
    const later = new Date(management.directory.clock.now().getTime() + 1_000)
    expect(await instance?.claim(10, later)).toHaveLength(1)
    management.directory.clock.advance(61_000)
    await untilSettled()
    expect(smtp.received).toHaveLength(1)
  })
})

describe('an invitation', () => {
  it('lets the person choose the first password, which proves the address', async () => {
    management.bearers.set('inviter', { roles: ['IAM_OWNER'], userId: 'alice' })
    const invite = (query: string) =>
      management.call('POST', `/users/carol/invitation${query}`, undefined, 'inviter')
    expect(await invite('?clientId=none')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('clientId: must be the client id of an active application') },
    })
    expect((await invite('?clientId=web')).status).toBe(204)
    await enrol('carol')
    const mail = await nextMail('You have been invited')
    expect(mail.text).toMatch(/^Hello Bob Example,/)
    expect(mail.text).toContain('Organization: ACME\nApplication: ')
    expect(mail.text).toMatch(/^Asked for by: Alice .*\(an administrator of the organization\)$/m)
    expect(await recovery.checkMailToken(present(tokenOf(mail.text), 'invitation'), RPC)).toMatchObject({
      inviter: expect.stringContaining('Alice'),
    })
    expect(mail.text).toContain('http://localhost:8080/ui/invitation?token=')
    management.directory.clock.advance(6 * 86_400_000)
    expect(await setPassword(tokenOf(mail.text), NEW_PASSWORD, 'invitation')).toMatchObject({
      ...{ refused: '', clientId: 'web' },
    })
    expect((await management.call('GET', '/users/carol')).body).toMatchObject({ email: { verified: true } })
    // A factor that another person added before does not survive.
    expect(await accounts.findSecondFactor({ userId: 'carol' }, RPC)).toMatchObject({ totp: false })
    const again = await management.call('POST', '/users/carol/invitation')
    expect(again).toMatchObject({ status: 400, body: { details: [{ id: 'user_has_password' }] } })
  })
})

describe('the verification of an address', () => {
  const verified = async (userId: string) =>
    (await management.call('GET', `/users/${userId}`)).body.email.verified
  const verify = (token: string, userId: string) =>
    recovery.verifyEmail({ ...present(token, 'email_verification'), userId }, RPC)

  it('counts once, in a session of the account only', async () => {
    expect((await management.call('POST', '/users/dave/email-verification')).status).toBe(204)
    const mail = await nextMail('Confirm your e-mail address')
    expect(mail.text).toContain('Account: dave@acme.localhost')
    expect(mail.text).toContain('Organization: ACME')
    expect(mail.text).toContain('Asked for by: an administrator of the organization')
    const token = tokenOf(mail.text)
    expect(await verify(token, '')).toMatchObject({ refused: 'invalid' })
    expect(await verify(token, 'bob')).toMatchObject({ refused: 'invalid' })
    expect(await verified('dave')).toBe(false)
    expect(await verify(token, 'dave')).toMatchObject({ refused: '' })
    expect(await verify(token, 'dave')).toMatchObject({ refused: 'invalid' })
    expect(await verified('dave')).toBe(true)
  })

  /** Posts the account of an attacker, who knows its password, with the address of the victim. */
  async function createByManager(userName: string) {
    management.bearers.set('manager', { roles: ['ORG_USER_MANAGER acme'] })
    const created = await management.call(
      'POST',
      '/users',
      {
        ...{ organizationId: 'acme', userName, password: PASSWORD },
        profile: { givenName: 'Mallory', familyName: 'Example' },
        email: { address: `${userName}@victim.example` },
      },
      'manager',
    )
    expect(created.status).toBe(201)
    const userId = created.body.id as string
    const path = `/users/${userId}/email-verification`
    expect((await management.call('POST', path, undefined, 'manager')).status).toBe(204)
    return userId
  }

  async function register(userName: string) {
    const { outcome } = await accounts.register(
      {
        ...{ organizationId: 'acme', userName, password: PASSWORD, email: `${userName}@victim.example` },
        ...{ givenName: 'Mallory', familyName: 'Example', clientAddress: '198.51.100.66' },
      },
      RPC,
    )
    if (outcome.case !== 'account') throw new Error('not registered')
    return outcome.value.userId
  }

  const signIn = (loginName: string, password: string) =>
    credentials.verifyPassword({ loginName, password, organizationId: 'acme' }, RPC)

  it.each([
    ['a stranger registered', 'squatter', register, 'the person who registered this account'],
    ['a user manager created', 'planted', createByManager, 'an administrator of the organization'],
  ] as const)(
    'ends what could sign in to an account that %s with the address of another person',
    async (_, userName, create, askedBy) => {
      const userId = await create(userName)
      const mail = await nextMail('Confirm your e-mail address')
      expect(mail.to).toEqual([`${userName}@victim.example`])
      expect(mail.text).toContain(`Account: ${userName}@acme.localhost`)
      expect(mail.text).toContain(`Asked for by: ${askedBy}`)
      await enrol(userId)
      await accounts.makeRecoveryCodes({ userId }, RPC)
      const token = tokenOf(mail.text)
      expect(await recovery.checkMailToken(present(token, 'email_verification'), RPC)).toMatchObject({
        ...{ refused: '', userId, loginName: `${userName}@acme.localhost`, passwordAllowed: true },
      })
      management.published.splice(0)
      expect(await setPassword(token, NEW_PASSWORD, 'email_verification')).toMatchObject({ refused: '' })
      expect(management.published.flat()).toEqual([expect.stringContaining(`USER ${userId}`)])
      expect(await verified(userId)).toBe(true)
      expect((await signIn(userName, PASSWORD)).account).toBeUndefined()
      expect((await signIn(userName, NEW_PASSWORD)).account).toMatchObject({ secondFactorRequired: false })
      expect(await accounts.findSecondFactor({ userId }, RPC)).toMatchObject({
        totp: false,
        recoveryCodes: 0,
      })
      expect(await setPassword(token, NEW_PASSWORD, 'email_verification')).toMatchObject({
        refused: 'invalid',
      })
    },
  )
})

describe('the management API of messages', () => {
  it('keeps the SMTP password of an organization out of answers and sealed in the database', async () => {
    const settings = {
      host: 'smtp.acme.example',
      port: 587,
      tls: 'starttls',
      userName: 'signet',
      password: 'secret of the server',
      senderAddress: 'id@acme.example',
    }
    const { password: _, ...shown } = settings
    expect(await management.call('PUT', '/organizations/acme/smtp', settings, 'org')).toMatchObject({
      body: shown,
    })
    expect((await management.call('GET', '/organizations/acme/smtp', undefined, 'org')).body).toEqual(shown)
    expect(await management.directory.placesOf('secret of the server')).toEqual([])
  })

  it('changes the members of an SMTP server that are named, and sends a stored password to no other server', async () => {
    const patched = (body: object) => management.call('PATCH', '/organizations/acme/smtp', body, 'org')
    const server = { host: 'smtp.acme.example', port: 587, tls: 'starttls', senderAddress: 'id@acme.example' }
    const settings = { ...server, userName: 'signet', password: 'secret of the server' }
    await management.call('PUT', '/organizations/acme/smtp', settings, 'org')
    const { password: _, ...shown } = settings
    expect(await patched({ senderName: 'ACME' })).toMatchObject({
      status: 200,
      body: { ...shown, senderName: 'ACME' },
    })
    for (const other of [{ host: 'other.example' }, { port: 2525 }, { tls: 'implicit' }]) {
      expect(await patched(other)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('password: must be given again') },
      })
    }
    expect((await patched({ userName: null })).status).toBe(400)
    expect((await patched({ host: 'other.example', password: 'another' })).status).toBe(200)
    const [event] = await management.directory.audited({ action: 'smtp.update', result: 'success' })
    expect(event?.details).toMatchObject({
      fields: ['host', 'password'],
      changes: { host: { old: 'smtp.acme.example', new: 'other.example' } },
    })
    const none = await patched({ userName: null, password: null, senderName: null })
    expect([none.status, none.body]).toEqual([200, { ...server, host: 'other.example' }])
    expect((await patched({ port: 2525 })).status).toBe(200)
    await management.call('DELETE', '/organizations/acme/smtp', undefined, 'org')
    expect((await patched({ port: 2525 })).status).toBe(404)
  })

  it.each([
    [{ port: 6379 }, 'port'],
    [{ senderAddress: 'a@b.example\r\nBcc: c@d.example' }, 'senderAddress'],
    [{ senderName: 'A\r\nBcc: c@d.example' }, 'senderName'],
    [{ userName: 'signet' }, ''],
  ])('refuses %j', async (change, field) => {
    const settings = {
      host: 'smtp.acme.example',
      port: 587,
      tls: 'starttls',
      senderAddress: 'id@acme.example',
      ...change,
    }
    const { status, body } = await management.call('PUT', '/organizations/acme/smtp', settings, 'org')
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(field)])
  })

  it('never sends through the server of the organization to a person whose roles reach further', async () => {
    await management.call(
      'PUT',
      '/organizations/acme/smtp',
      { host: '127.0.0.1', port: 2525, tls: 'starttls', senderAddress: 'id@acme.example' },
      'org',
    )
    await request('alice')
    expect((await nextMail('Reset your password')).from).toBe('id@signet.example')
  })

  it('sends the texts of the organization, escaped, with its placeholders', async () => {
    const texts = { subject: 'Hi {{.FirstName}}', greeting: '<b>Dear</b> {{.UserName}},' }
    expect(
      (await management.call('PUT', '/organizations/acme/message-texts/password-reset/en', texts, 'org'))
        .body,
    ).toMatchObject({ isDefault: false, effective: { title: 'Reset your password', ...texts } })
    await request('bob')
    const mail = await nextMail('Hi Bob')
    expect(mail.text).toContain('<b>Dear</b> bob,')
    expect(mail.html).toContain('&lt;b&gt;Dear&lt;/b&gt; bob,')
    const preview = await management.call(
      'GET',
      '/organizations/acme/message-texts/password-reset/en/preview',
      undefined,
      'org',
    )
    expect(preview.body).toMatchObject({ subject: 'Hi Alice' })
    const changed = await management.call(
      'PATCH',
      '/organizations/acme/message-texts/password-reset/en',
      { subject: 'Hello', greeting: '' },
      'org',
    )
    expect(changed.body).toMatchObject({ texts: { subject: 'Hello', greeting: '' } })
    expect(changed.body.effective.greeting).not.toContain('Dear')
    const unknown = { subject: '{{.Password}}' }
    expect(
      (await management.call('PUT', '/organizations/acme/message-texts/password-reset/en', unknown, 'org'))
        .status,
    ).toBe(400)
    await management.call('DELETE', '/organizations/acme/message-texts/password-reset/en', undefined, 'org')
  })

  it('puts no header of a name into a message', async () => {
    const texts = { subject: '{{.DisplayName}} {{.NickName}}' }
    await management.call('PUT', '/organizations/acme/message-texts/password-reset/en', texts, 'org')
    await management.directory.rows(
      `UPDATE directory.account SET display_name = E'A\\r\\nBcc: eve@evil.example', nickname = 'www.evil.example'
        WHERE user_id = 'bob'`,
    )
    await request('bob')
    await untilSettled()
    expect(smtp.received).toHaveLength(1)
    expect(smtp.received[0]?.to).toEqual(['bob@acme.localhost'])
    expect(smtp.received[0]?.headers.some((line) => /^bcc/i.test(line))).toBe(false)
    expect(smtp.received[0]?.subject).not.toContain('evil')
    await management.call('DELETE', '/organizations/acme/message-texts/password-reset/en', undefined, 'org')
  })

  it('sends a test message at once and says how the server answered', async () => {
    expect((await management.call('POST', '/mail/test', { to: 'ops@acme.example' })).body).toEqual({
      accepted: true,
    })
    smtp.behave({ at: 'mail', code: 451 })
    expect((await management.call('POST', '/mail/test', { to: 'ops@acme.example' })).body).toEqual({
      accepted: false,
      reason: 'status_451',
    })
  })
})
