import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply({
    settings: { passwordMinLength: 10, maxPasswordAttempts: 8 },
    organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' }],
  })
  management.bearers.set('owner', { userId: 'root', roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())
beforeEach(() => management.directory.rows('DELETE FROM directory.organization_policy'))

const path = (kind: string) => `/organizations/acme/policies/${kind}`
const call = (method: string, kind: string, body?: object) => management.call(method, path(kind), body)

async function effective(kind: string): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await call('GET', kind)
  const members = Object.entries(body.effective as Record<string, { value: unknown }>)
  return Object.fromEntries(members.map(([member, { value }]) => [member, value]))
}

async function lastChanges(action: string) {
  const [event] = await management.directory.audited({ action })
  return event?.details.changes
}

/** Members of every policy that act, with a value that is not the default. */
const MEMBERS: readonly (readonly [kind: string, member: string, value: unknown])[] = [
  ['login', 'forceMfa', true],
  ['login', 'allowRegister', false],
  ['login', 'hidePasswordReset', true],
  ['login', 'identifierFirst', true],
  ['login', 'disableLoginWithEmail', true],
  ['login', 'passwordlessType', 'PASSWORDLESS_TYPE_NOT_ALLOWED'],
  ['login', 'passwordCheckLifetime', '3600s'],
  ['login', 'mfaInitSkipLifetime', '60s'],
  ['login', 'secondFactors', ['SECOND_FACTOR_TYPE_OTP']],
  ['lockout', 'maxPasswordAttempts', 3],
  ['lockout', 'maxOtpAttempts', 3],
  ['password-complexity', 'minLength', 12],
  ['password-complexity', 'hasNumber', true],
  ['privacy', 'tosLink', 'https://acme.example/tos'],
  ['privacy', 'supportEmail', 'help@acme.example'],
  ['label', 'primaryColor', '#0b6e4f'],
  ['label', 'disableWatermark', true],
  ['label', 'themeMode', 'THEME_MODE_DARK'],
  ['domain', 'userLoginMustBeDomain', false],
]

describe('a change of one member of a policy', () => {
  it.each(MEMBERS)(
    '%s %s: changes this member alone, here and in the audit log',
    async (kind, member, value) => {
      const before = await effective(kind)
      expect((await call('PATCH', kind, { [member]: value })).status).toBe(200)
      expect(await effective(kind)).toEqual({ ...before, [member]: value })
      expect(await lastChanges(`${kind.replace('-', '_')}_policy.update`)).toEqual({
        [member]: { old: before[member], new: value },
      })
    },
  )

  it.each(MEMBERS)('%s %s: leaves the others as they were set', async (kind, member, value) => {
    for (const [of, name, set] of MEMBERS) if (of === kind) await call('PATCH', kind, { [name]: set })
    const all = await effective(kind)
    expect((await call('PATCH', kind, { [member]: null })).status).toBe(200)
    const { [member]: reset, ...others } = await effective(kind)
    // A policy that leaves it out closes the registration, which without a policy is open.
    if (member !== 'allowRegister') expect(reset).not.toEqual(value)
    expect({ ...others, [member]: value }).toEqual(all)
    expect((await call('PATCH', kind, { [member]: value })).status).toBe(200)
    expect(await effective(kind)).toEqual(all)
  })

  it('an own policy follows settings of the instance that it does not name', async () => {
    await call('PATCH', 'password-complexity', { hasNumber: true })
    await management.directory.rows('UPDATE directory.setting SET password_min_length = 14')
    expect(await effective('password-complexity')).toMatchObject({ hasNumber: true, minLength: 14 })
    await management.directory.rows('UPDATE directory.setting SET password_min_length = 10')
  })

  it('is refused where it is more lenient than the instance, and nothing changes', async () => {
    expect(await call('PATCH', 'password-complexity', { minLength: 8 })).toMatchObject({ status: 400 })
    expect(await call('PATCH', 'login', {})).toMatchObject({ status: 400 })
    expect(await call('PATCH', 'login', { idps: ['x'] })).toMatchObject({ status: 400 })
    expect((await call('GET', 'password-complexity')).body.isDefault).toBe(true)
  })

  it('is not hindered by a value of an import that another member broke', async () => {
    await management.directory.rows(
      `INSERT INTO directory.organization_policy VALUES ('acme', 'password_complexity', '{"minLength": 4}')`,
    )
    expect((await call('PATCH', 'password-complexity', { hasSymbol: true })).status).toBe(200)
    expect((await call('PATCH', 'password-complexity', { minLength: 5 })).status).toBe(400)
  })

  it('of many changes of different members at once each one is there', async () => {
    const ofLogin = MEMBERS.filter(([kind]) => kind === 'login')
    const answers = await Promise.all(
      ofLogin.map(([kind, member, value]) => call('PATCH', kind, { [member]: value })),
    )
    expect(answers.map(({ status }) => status)).toEqual(ofLogin.map(() => 200))
    const now = await effective('login')
    for (const [, member, value] of ofLogin) expect(now[member], member).toEqual(value)
  })
})

describe('the audit log', () => {
  it('says what a policy that is set as a whole took back', async () => {
    await call('PUT', 'login', { forceMfa: true, allowRegister: true })
    await call('PUT', 'login', { disableLoginWithEmail: true })
    expect(await lastChanges('login_policy.set')).toEqual({
      forceMfa: { old: true, new: false },
      allowRegister: { old: true, new: false },
      disableLoginWithEmail: { old: false, new: true },
    })
  })

  it('says what a reset took back', async () => {
    await call('PUT', 'lockout', { maxPasswordAttempts: 3 })
    await call('DELETE', 'lockout')
    expect(await lastChanges('lockout_policy.reset')).toEqual({ maxPasswordAttempts: { old: 3, new: 8 } })
  })
})

describe('a read of a policy', () => {
  it('says which value a member gets that a policy set as a whole leaves out', async () => {
    await call('PATCH', 'login', { forceMfa: true, allowRegister: true })
    const { defaults } = (await call('GET', 'login')).body
    expect(defaults).toMatchObject({ forceMfa: false, allowRegister: false })
    await call('PUT', 'login', { disableLoginWithEmail: true })
    expect(await effective('login')).toEqual({ ...defaults, disableLoginWithEmail: true })
    expect((await call('GET', 'lockout')).body.defaults).toMatchObject({ maxPasswordAttempts: 8 })
  })
})

describe('a bootstrap file', () => {
  it('leaves old and new values in force of its policies and settings in the audit log', async () => {
    await call('PATCH', 'login', { forceMfa: true })
    const loginPolicy = { forceMfa: false, hidePasswordReset: true }
    await management.directory.apply({
      settings: { passwordMinLength: 10, maxPasswordAttempts: 7 },
      organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost', loginPolicy }],
    })
    expect(await lastChanges('policy.updated')).toEqual({
      forceMfa: { old: true, new: false },
      hidePasswordReset: { old: null, new: true },
    })
    expect(await lastChanges('setting.updated')).toEqual({ maxPasswordAttempts: { old: 8, new: 7 } })
    await management.directory.rows('UPDATE directory.setting SET max_password_attempts = 8')
  })
})

describe('the security policy', () => {
  const settings = async () => (await management.call('GET', '/v2/settings/security')).body.settings

  it.each([
    ['enableImpersonation', true],
    ['allowImpersonatedApiCalls', true],
    ['iamSignInMaxAgeSeconds', 3_600],
    ['iamRequiresMfa', true],
    ['requireDpopNonce', true],
  ])('a change of %s changes this member alone, here and in the audit log', async (member, value) => {
    const before = await settings()
    expect((await management.call('PATCH', '/v2/policies/security', { [member]: value })).status).toBe(200)
    expect(await settings()).toEqual({ ...before, [member]: value })
    expect(await lastChanges('security_policy.update')).toEqual({
      [member]: { old: before[member], new: value },
    })
  })

  it('a policy that is set as a whole says what it took back', async () => {
    await management.call('PATCH', '/v2/policies/security', {
      enableImpersonation: true,
      iamRequiresMfa: true,
    })
    await management.call('PUT', '/v2/policies/security', {})
    expect(await lastChanges('security_policy.set')).toMatchObject({
      enableImpersonation: { old: true, new: false },
    })
  })
})
