import { decodeBase32 } from '@signet/tokens/identifiers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultAuthenticator, totpCode } from '../src/credentials/totp.ts'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
const NEW_PASSWORD = 'Another-horse-10'

const person = (id: string, more: object = {}) => ({
  id,
  userName: id,
  profile: { givenName: 'A', familyName: 'B' },
  password: PASSWORD,
  ...more,
})

beforeAll(async () => {
  fixture = await rpcFixture()
  const document = sampleDocument()
  acme(document).users?.push(
    person('bob', { email: { address: 'bob@mail.example', verified: true } }),
    person('temporary', { passwordChangeRequired: true }),
  )
  await fixture.directory.apply(document)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  fixture.directory.clock.advance(300_000)
  await fixture.directory.rows('DELETE FROM directory.organization_policy')
})

const setPolicy = (kind: string, policy: object) =>
  fixture.directory.rows('INSERT INTO directory.organization_policy VALUES ($1, $2, $3)', [
    'acme',
    kind,
    JSON.stringify(policy),
  ])
const verify = (loginName: string, password = PASSWORD) =>
  fixture.credentials.verifyPassword({ loginName, password }, TIMEOUT)
const organization = async () =>
  (
    await fixture.directory.rows(
      `SELECT * FROM directory_read.organization_v1 WHERE organization_id = 'acme'`,
    )
  )[0]

describe('allowUsernamePassword', () => {
  it('false: refuses the right password with the rule, and a wrong one without', async () => {
    await setPolicy('login', { allowUsernamePassword: false, allowRegister: true })
    expect(await verify('bob')).toMatchObject({ refusedRule: 'password_sign_in_not_allowed' })
    expect((await verify('bob')).account).toBeUndefined()
    const stranger = await verify('bob', 'wrong')
    expect(stranger).toMatchObject({ refusedRule: '' })
    expect(stranger.account).toBeUndefined()
    const event = (await fixture.directory.audited({ action: 'sign_in', targetId: 'bob' })).at(-1)
    expect(event).toMatchObject({ result: 'refused', details: { reason: 'password_sign_in_not_allowed' } })
    // An account that is made with a password could not be used.
    expect(await organization()).toMatchObject({ allow_register: false })
  })

  it.each([{}, { allowUsernamePassword: true }])(
    '%j: lets people sign in with a password',
    async (policy) => {
      await setPolicy('login', policy)
      expect((await verify('bob')).account).toMatchObject({ userId: 'bob' })
    },
  )
})

describe('disableLoginWithEmail', () => {
  it('makes the e-mail address no login name, and leaves the user name one', async () => {
    expect((await verify('bob@mail.example')).account).toMatchObject({ userId: 'bob' })
    await setPolicy('login', { disableLoginWithEmail: true })
    expect((await verify('bob@mail.example')).account).toBeUndefined()
    expect((await verify('bob@acme.localhost')).account).toMatchObject({ userId: 'bob' })
  })
})

describe.each(['forceMfa', 'forceMfaLocalOnly'])('%s', (member) => {
  it('asks for a second factor of accounts that have none, and for its code of those that have one', async () => {
    await setPolicy('login', { [member]: true, allowRegister: true })
    expect((await verify('bob')).account).toMatchObject({
      secondFactorRequired: false,
      secondFactorEnrolmentRequired: true,
    })
    expect((await verify('alice')).account).toMatchObject({
      secondFactorRequired: true,
      secondFactorEnrolmentRequired: false,
    })
    const form = { userName: `new-${member}`, email: 'x@y.example', givenName: 'N', familyName: 'W' }
    const { outcome } = await fixture.accounts.register({ ...form, password: NEW_PASSWORD }, TIMEOUT)
    expect(outcome.value).toMatchObject({ secondFactorEnrolmentRequired: true })
    expect(await organization()).toMatchObject({ force_mfa: true })
  })
})

it('the lifetimes of checks and the number of failed codes are published for sign-in', async () => {
  await setPolicy('login', {
    passwordCheckLifetime: '864000s',
    secondFactorCheckLifetime: '0s',
    multiFactorCheckLifetime: '3600s',
  })
  await setPolicy('lockout', { maxOtpAttempts: 3 })
  expect(await organization()).toMatchObject({
    force_mfa: false,
    password_check_lifetime_seconds: 864_000,
    second_factor_check_lifetime_seconds: 0,
    multi_factor_check_lifetime_seconds: 3_600,
    max_otp_attempts: 3,
  })
})

describe('the floors of the instance', () => {
  it('hold where an organization is more lenient, and can be lowered by the bootstrap file', async () => {
    await setPolicy('lockout', { maxPasswordAttempts: 0, maxOtpAttempts: 100 })
    await setPolicy('password_complexity', { minLength: 1 })
    expect(await organization()).toMatchObject({
      max_password_attempts: 5,
      max_otp_attempts: 5,
      password_min_length: 8,
    })
    const settings = { passwordMinLength: 6, maxPasswordAttempts: 0, maxOtpAttempts: 10 }
    await fixture.directory.apply({ settings })
    expect(await organization()).toMatchObject({
      max_password_attempts: 0,
      max_otp_attempts: 10,
      password_min_length: 6,
    })
    await fixture.directory.apply({
      settings: { passwordMinLength: 8, maxPasswordAttempts: 5, maxOtpAttempts: 5 },
    })
  })
})

describe('adding a second factor', () => {
  const codeOf = (secret: string) =>
    totpCode(
      defaultAuthenticator(decodeBase32(secret) ?? Buffer.alloc(0)),
      Math.floor(fixture.directory.clock.now().getTime() / 30_000),
    )
  const begin = (userId: string, enrolment: Uint8Array<ArrayBuffer> = new Uint8Array()) =>
    fixture.accounts.beginTotp({ userId, enrolment }, TIMEOUT)

  it('counts after the first right code, which is used up, and is done once', async () => {
    const { secret, uri, enrolment } = await begin('bob')
    expect(uri).toBe(`otpauth://totp/ACME:bob%40acme.localhost?secret=${secret}&issuer=ACME`)
    // Shown again for the same sign-in; another sign-in gets a secret of its own.
    expect((await begin('bob', Buffer.from(enrolment))).secret).toBe(secret)
    expect((await begin('bob')).secret).not.toBe(secret)
    expect((await verify('bob')).account?.secondFactorRequired).toBe(false)
    const confirm = (code: string, more: object = {}) =>
      fixture.accounts.confirmTotp({ userId: 'bob', enrolment, code, ...more }, TIMEOUT)
    expect((await confirm('000000')).accepted).toBe(false)
    expect((await confirm(codeOf(secret), { throttled: true })).accepted).toBe(false)
    expect((await confirm(codeOf(secret), { userId: 'temporary' })).accepted).toBe(false)
    expect((await confirm(codeOf(secret))).accepted).toBe(true)
    expect((await confirm(codeOf(secret))).accepted).toBe(false)
    expect((await verify('bob')).account?.secondFactorRequired).toBe(true)
    expect(await fixture.accounts.findSecondFactor({ userId: 'bob' }, TIMEOUT)).toMatchObject({ totp: true })
    const used = await fixture.credentials.verifyTotp({ userId: 'bob', code: codeOf(secret) }, TIMEOUT)
    expect(used.accepted).toBe(false)
    fixture.directory.clock.advance(30_000)
    const next = await fixture.credentials.verifyTotp({ userId: 'bob', code: codeOf(secret) }, TIMEOUT)
    expect(next.accepted).toBe(true)
    const events = await fixture.directory.audited({ action: 'totp.enrolment', targetId: 'bob' })
    expect(events.map(({ result }) => result)).toEqual(['refused', 'success', 'refused', 'refused'])
  })

  it.each(['alice', 'migrator-id', 'nobody'])(
    'is refused for %s, who has one or is a service user',
    async (userId) => {
      await expect(begin(userId)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
      await expect(
        fixture.accounts.confirmTotp({ userId, enrolment: new Uint8Array(4), code: '000000' }, TIMEOUT),
      ).resolves.toMatchObject({ accepted: false })
    },
  )
})

describe('passwordChangeRequired', () => {
  const change = (userId: string, password: string) =>
    fixture.accounts.changePassword({ userId, password }, TIMEOUT)

  it('is reported with the right password; the new one has to meet the rules and revokes earlier tokens', async () => {
    const before = (await verify('temporary')).account
    expect(before).toMatchObject({ passwordChangeRequired: true })
    await setPolicy('password_complexity', { minLength: 12, hasNumber: true })
    expect((await change('temporary', 'short')).problems).toEqual(['password_too_short', 'password_policy'])
    expect((await change('temporary', PASSWORD)).problems).toEqual(['password_same'])
    const { account } = await change('temporary', NEW_PASSWORD)
    expect(account).toMatchObject({ userId: 'temporary', organizationId: 'acme' })
    expect(account?.userEpoch).toBeGreaterThan(before?.userEpoch ?? 0n)
    expect((await verify('temporary')).account).toBeUndefined()
    expect((await verify('temporary', NEW_PASSWORD)).account).toMatchObject({
      passwordChangeRequired: false,
      userEpoch: account?.userEpoch,
    })
    expect(fixture.published.flat()).toContain(`temporary ${account?.userEpoch}`)
    const [event] = await fixture.directory.audited({ action: 'password.change' })
    expect(event).toMatchObject({ actorId: 'temporary', result: 'success' })
  })

  it('is refused where no change is required', async () => {
    for (const userId of ['alice', 'nobody', 'migrator-id']) {
      await expect(change(userId, NEW_PASSWORD)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    }
  })
})
