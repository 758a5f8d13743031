import { existsSync, readFileSync } from 'node:fs'
import { organizationHeader } from '@signet/file-formats/export/organization-header'
import { LABEL_COLOURS } from '@signet/protocol/label-colours'
import { PRIVACY_MEMBERS } from '@signet/protocol/privacy-links'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BootstrapFileInput } from '../src/bootstrap/bootstrap-file.ts'
import { readBootstrap } from '../src/bootstrap/read-bootstrap.ts'
import { POLICY_SCHEMAS } from '../src/organizations/policies.schema.ts'
import {
  brokenPolicyRule,
  POLICY_MEMBERS,
  type PolicyName,
  treatmentOf,
} from '../src/organizations/policy-rules.ts'
import { policyNotes } from '../src/transfer/organization-rows.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const POLICIES = Object.keys(POLICY_MEMBERS) as readonly PolicyName[]
const PATHS: Readonly<Record<PolicyName, string>> = {
  loginPolicy: 'login',
  lockoutPolicy: 'lockout',
  passwordComplexityPolicy: 'password-complexity',
  privacyPolicy: 'privacy',
  labelPolicy: 'label',
  domainPolicy: 'domain',
}

/** The test that shows that a member acts: a file of the repository and a part of a title in it. */
const PROOFS: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'loginPolicy.allowRegister': ['apps/directory/test/registration.test.ts', 'login policy'],
  'loginPolicy.allowUsernamePassword': [
    'apps/directory/test/sign-in-policies.test.ts',
    "describe('allowUsernamePassword'",
  ],
  'loginPolicy.forceMfa': [
    'apps/directory/test/sign-in-policies.test.ts',
    "describe.each(['forceMfa', 'forceMfaLocalOnly']",
  ],
  'loginPolicy.forceMfaLocalOnly': [
    'apps/directory/test/upstream-accounts.test.ts',
    'demands a second factor of forceMfa, and none of forceMfaLocalOnly',
  ],
  'loginPolicy.allowDomainDiscovery': [
    'apps/login/test/upstream.test.ts',
    'offers the providers of the organization of a typed domain',
  ],
  'loginPolicy.allowImpersonation': [
    'apps/directory/test/impersonations.test.ts',
    'lets a person be impersonated where instance, organization and role allow it alone',
  ],
  'loginPolicy.allowExternalIdp': [
    'apps/directory/test/upstream-accounts.test.ts',
    'refuses every person where allowExternalIdp is false',
  ],
  'loginPolicy.idps': [
    'apps/directory/test/upstream-accounts.test.ts',
    'refuses every person by a provider that idps leaves out',
  ],
  'loginPolicy.externalLoginCheckLifetime': [
    'packages/protocol/src/factor-demand.test.ts',
    'by a provider obeys the rules for those alone',
  ],
  'loginPolicy.passwordlessType': [
    'apps/directory/test/passkeys.test.ts',
    "{ passwordlessType: 'PASSWORDLESS_TYPE_NOT_ALLOWED' }",
  ],
  'loginPolicy.secondFactors': [
    'apps/directory/test/passkeys.test.ts',
    "{ forceMfa: true, secondFactors: ['SECOND_FACTOR_TYPE_OTP'] }",
  ],
  'loginPolicy.multiFactors': [
    'apps/directory/test/passkeys.test.ts',
    '{ forceMfa: true, multiFactors: [] }',
  ],
  'loginPolicy.mfaInitSkipLifetime': [
    'apps/directory/test/passkeys.test.ts',
    "{ mfaInitSkipLifetime: '0s' }",
  ],
  'loginPolicy.hidePasswordReset': [
    'apps/directory/test/mail.test.ts',
    'sends nothing where the login policy hides the reset',
  ],
  'loginPolicy.identifierFirst': [
    'apps/login/test/identifier-first.test.ts',
    'asks for the login name first, then for the password',
  ],
  'loginPolicy.sessionEndsWithBrowser': [
    'apps/login/test/sessions.test.ts',
    'ends with the browser under a login policy that says so',
  ],
  'loginPolicy.disableLoginWithEmail': [
    'apps/directory/test/sign-in-policies.test.ts',
    "describe('disableLoginWithEmail'",
  ],
  'loginPolicy.passwordCheckLifetime': [
    'apps/login/test/sign-in-steps.test.ts',
    "{ passwordCheckLifetime: '3600s' }",
  ],
  'loginPolicy.secondFactorCheckLifetime': [
    'apps/login/test/sign-in-steps.test.ts',
    "{ secondFactorCheckLifetime: '3600s' }",
  ],
  'loginPolicy.multiFactorCheckLifetime': [
    'apps/login/test/sign-in-steps.test.ts',
    "{ multiFactorCheckLifetime: '3600s' }",
  ],
  'lockoutPolicy.maxOtpAttempts': [
    'apps/login/test/sign-in-steps.test.ts',
    'delays codes after the number of failures of the policy',
  ],
  'lockoutPolicy.maxPasswordAttempts': [
    'apps/login/test/throttling.test.ts',
    'follow the limit of $limit of the directory',
  ],
  'passwordComplexityPolicy.minLength': ['apps/directory/test/password-policy.test.ts', 'policy'],
  'passwordComplexityPolicy.hasUppercase': ['apps/directory/test/password-policy.test.ts', 'policy'],
  'passwordComplexityPolicy.hasLowercase': ['apps/directory/test/password-policy.test.ts', 'policy'],
  'passwordComplexityPolicy.hasNumber': ['apps/directory/test/password-policy.test.ts', 'policy'],
  'passwordComplexityPolicy.hasSymbol': ['apps/directory/test/password-policy.test.ts', 'policy'],
  ...Object.fromEntries(
    LABEL_COLOURS.map((member) => [
      `labelPolicy.${member}`,
      ['apps/login/test/label-colours.test.ts', 'shows the colours of the organization of the request'],
    ]),
  ),
  'labelPolicy.themeMode': ['apps/login/test/branding.test.ts', "describe('themeMode'"],
  'labelPolicy.disableWatermark': ['apps/login/test/branding.test.ts', "describe('disableWatermark'"],
  ...Object.fromEntries(
    PRIVACY_MEMBERS.map((member) => [
      `privacyPolicy.${member}`,
      ['apps/login/test/privacy-links.test.ts', 'shows the links of the organization of the request'],
    ]),
  ),
  'domainPolicy.userLoginMustBeDomain': [
    'apps/directory/test/organizations.test.ts',
    'that has the same user name',
  ],
}

/** Values of the types that members have; of each member the first that its schema takes and that is not harmless. */
const VALUES = [
  true,
  false,
  'https://acme.example/somewhere',
  '#123456',
  '864000s',
  4,
  'PASSWORDLESS_TYPE_ALLOWED',
  'THEME_MODE_DARK',
  ['SECOND_FACTOR_TYPE_U2F'],
  ['MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION'],
  [{ idpId: 'google' }],
]

const headerShape = (policy: PolicyName) => organizationHeader.shape[policy].unwrap().shape
const membersOf = (policy: PolicyName) =>
  [...new Set([...Object.keys(POLICY_SCHEMAS[policy].shape), ...Object.keys(headerShape(policy))])].filter(
    (member) => member !== 'orgId',
  )
const EVERY = POLICIES.flatMap((policy) => membersOf(policy).map((member) => ({ policy, member })))
const REFUSED = EVERY.flatMap(({ policy, member }) => {
  const type = (headerShape(policy) as Record<string, { safeParse(value: unknown): { success: boolean } }>)[
    member
  ]
  const value = VALUES.find(
    (candidate) =>
      type?.safeParse(candidate).success && brokenPolicyRule(policy, member, candidate) !== undefined,
  )
  return treatmentOf(policy, member)?.kind === 'acts' ? [] : [{ policy, member, value }]
})

const FLOORS = { passwordMinLength: 8, maxPasswordAttempts: 5, maxOtpAttempts: 5 }
/** Values that are more lenient than the settings of a new instance. */
const BELOW_FLOORS = [
  {
    policy: 'passwordComplexityPolicy',
    member: 'minLength',
    setting: 'passwordMinLength',
    value: 7,
    floor: 8,
  },
  {
    policy: 'lockoutPolicy',
    member: 'maxPasswordAttempts',
    setting: 'maxPasswordAttempts',
    value: 6,
    floor: 5,
  },
  {
    policy: 'lockoutPolicy',
    member: 'maxPasswordAttempts',
    setting: 'maxPasswordAttempts',
    value: 0,
    floor: 5,
  },
  { policy: 'lockoutPolicy', member: 'maxOtpAttempts', setting: 'maxOtpAttempts', value: 6, floor: 5 },
  { policy: 'lockoutPolicy', member: 'maxOtpAttempts', setting: 'maxOtpAttempts', value: 0, floor: 5 },
] as const

let fixture: ManagementFixture
beforeAll(async () => {
  fixture = await managementFixture()
  fixture.bearers.set('owner', { roles: ['IAM_OWNER'] })
  await fixture.directory.apply({
    organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' }],
  })
})
afterAll(() => fixture?.stop())

describe('every member of every policy', () => {
  it.each(EVERY)('stands in the table of treatments: $policy.$member', ({ policy, member }) => {
    expect(treatmentOf(policy, member)).toBeDefined()
  })

  it('is the only thing that the table holds', () => {
    const known = POLICIES.flatMap((policy) =>
      Object.keys(POLICY_MEMBERS[policy]).map((member) => ({ policy, member })),
    )
    const text = ({ policy, member }: { policy: string; member: string }) => `${policy}.${member}`
    expect(known.map(text).sort()).toEqual(EVERY.map(text).sort())
  })

  it('has a test that shows that it acts, or is refused', () => {
    const acting = EVERY.filter(({ policy, member }) => treatmentOf(policy, member)?.kind !== 'refused')
    expect(acting.map(({ policy, member }) => `${policy}.${member}`).sort()).toEqual(
      Object.keys(PROOFS).sort(),
    )
    for (const [file, title] of Object.values(PROOFS)) {
      const path = new URL(`../../../${file}`, import.meta.url)
      expect(existsSync(path) && readFileSync(path, 'utf8').includes(title), `${file}: ${title}`).toBe(true)
    }
  })
})

describe('a member that has no effect', () => {
  it('has a value to try for each', () => {
    expect(REFUSED.filter(({ value }) => value === undefined)).toEqual([])
  })

  it.each(REFUSED)('is refused by the management API, with its name: $policy.$member', async (row) => {
    const { policy, member, value } = row
    const answer = await fixture.call('PUT', `/organizations/acme/policies/${PATHS[policy]}`, {
      [member]: value,
    })
    expect(answer.status).toBe(400)
    const refusal = member in POLICY_SCHEMAS[policy].shape ? 'is not supported' : 'unknown field'
    expect(answer.body.message).toMatch(new RegExp(`\\b${member}\\b.*${refusal}`))
    expect(
      (await fixture.call('GET', `/organizations/acme/policies/${PATHS[policy]}`)).body.policy,
    ).not.toHaveProperty(member)
  })

  it.each(REFUSED)('is a problem of a bootstrap file, with its path: $policy.$member', (row) => {
    const { policy, member, value } = row
    const acme = { id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost', [policy]: { [member]: value } }
    const { problems } = readBootstrap({ organizations: [acme] }, (text) => ({ value: text }))
    expect(problems).toContainEqual({
      path: `organizations[0].${policy}.${member}`,
      rule: expect.stringMatching(/^(is not supported: |unknown key$)/),
    })
  })

  it.each(REFUSED)('is named by the report of an import: $policy.$member', ({ policy, member, value }) => {
    const header = organizationHeader.parse({
      orgId: 'acme',
      org: { name: 'ACME' },
      [policy]: { [member]: value },
    })
    expect(policyNotes(header, FLOORS).join()).toMatch(
      new RegExp(`^organization acme: not obeyed here: .*${policy}\\.${member}\\b`),
    )
  })

  it('may be set to the behaviour of Signet, and is not named then', async () => {
    for (const { policy, member } of REFUSED) {
      const treatment = treatmentOf(policy, member)
      if (treatment === undefined || treatment.kind === 'acts' || !(member in POLICY_SCHEMAS[policy].shape))
        continue
      for (const value of treatment.harmless) {
        expect(POLICY_SCHEMAS[policy].safeParse({ [member]: value }).success, `${policy}.${member}`).toBe(
          true,
        )
        expect(brokenPolicyRule(policy, member, value)).toBeUndefined()
      }
    }
  })

  it('is shown as such where an import has stored it', async () => {
    await fixture.directory.rows(
      `INSERT INTO directory.organization_policy VALUES ('acme', 'label', '{"fontColor": "#eeeeee", "primaryColor": "#123456", "hideLoginNameSuffix": true}')`,
    )
    const { body } = await fixture.call('GET', '/organizations/acme/policies/label')
    expect(body.notObeyed).toEqual(['fontColor', 'hideLoginNameSuffix'])
    expect(body.effective).toMatchObject({
      fontColor: { value: '#17202e', source: 'instance' },
      primaryColor: { value: '#123456', source: 'organization' },
    })
    await fixture.call('DELETE', '/organizations/acme/policies/label')
  })
})

describe('the colours of a label policy', () => {
  const put = (policy: object) => fixture.call('PUT', '/organizations/acme/policies/label', policy)
  const stored = async () => (await fixture.call('GET', '/organizations/acme/policies/label')).body
  const fileOf = (labelPolicy: object) => ({
    organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost', labelPolicy }],
  })
  const notesOf = (labelPolicy: object) =>
    policyNotes(organizationHeader.parse({ orgId: 'acme', org: { name: 'ACME' }, labelPolicy }), FLOORS)
  afterEach(() => fixture.call('DELETE', '/organizations/acme/policies/label'))

  it('are accepted as three or six digits, and shown as they act', async () => {
    const policy = {
      primaryColor: '#0B6E4F',
      backgroundColor: '#FFF',
      fontColorDark: '',
      warnColorDark: '#f99',
    }
    expect((await put(policy)).status).toBe(200)
    expect(await stored()).toMatchObject({
      policy,
      notObeyed: [],
      effective: {
        primaryColor: { value: '#0b6e4f', source: 'organization' },
        backgroundColor: { value: '#ffffff', source: 'organization' },
        fontColorDark: { value: '#eef1f7', source: 'instance' },
        warnColorDark: { value: '#ff9999', source: 'organization' },
      },
    })
    expect(readBootstrap(fileOf(policy), (text) => ({ value: text })).problems).toEqual([])
    expect(notesOf(policy)).toEqual([])
  })

  const HOSTILE = [
    'red',
    '#12345',
    '#12345678',
    '#123456;}body{display:none}',
    '#123456\n',
    ' #123456',
    'url(https://evil.example/x)',
    'var(--card)',
    '</style><script>alert(1)</script>',
    '#١٢٣٤٥٦',
  ]
  it.each(HOSTILE)(
    'are refused by the management API and in a bootstrap file when they are no colours: %j',
    async (value) => {
      for (const member of LABEL_COLOURS) {
        const { status, body } = await put({ [member]: value })
        expect([status, body.message]).toEqual([
          400,
          expect.stringMatching(`${member}.* must be a colour such as #1a2b3c`),
        ])
        expect(readBootstrap(fileOf({ [member]: value }), (text) => ({ value: text })).problems).toEqual([
          { path: `organizations[0].labelPolicy.${member}`, rule: 'must be a colour such as #1a2b3c' },
        ])
      }
      expect(await stored()).toMatchObject({ isDefault: true })
    },
  )

  const UNREADABLE = [
    ['fontColor', { fontColor: '#777' }, 'backgroundColor, by default #ffffff', '4.47'],
    [
      'fontColor',
      { fontColor: '#888888', backgroundColor: '#999999', warnColor: '#000' },
      'backgroundColor',
      '1.24',
    ],
    ['warnColor', { warnColor: '#ff0000' }, 'backgroundColor, by default #ffffff', '3.99'],
    [
      'fontColorDark',
      { fontColorDark: '#000', warnColorDark: '#fff' },
      'backgroundColorDark, by default #1a212d',
      '1.29',
    ],
    [
      'backgroundColorDark',
      { backgroundColorDark: '#ffffff', warnColorDark: '#b00' },
      'fontColorDark, by default #eef1f7',
      '1.13',
    ],
  ] as const
  it.each(UNREADABLE)(
    'are refused with member, ratio and rule when text is hard to read: %s of %j',
    async (member, policy, other, ratio) => {
      const rule = `has a contrast of ${ratio}:1 to ${other}; text needs 4.5:1 or more (WCAG 2.2 section 1.4.3)`
      const { status, body } = await put(policy)
      expect([status, body.message]).toEqual([400, `${member}: ${rule}`])
      const problem = { path: `organizations[0].labelPolicy.${member}`, rule }
      expect(readBootstrap(fileOf(policy), (text) => ({ value: text })).problems).toEqual([problem])
      await expect(fixture.directory.apply(fileOf(policy))).rejects.toThrow(`${problem.path}: ${rule}`)
      expect(notesOf(policy).join()).toContain(`labelPolicy.${member} (${rule})`)
      expect(await stored()).toMatchObject({ isDefault: true })
    },
  )

  it('are refused in a file that makes text of the stored colours hard to read', async () => {
    await put({ backgroundColor: '#000000', fontColor: '#ffffff', warnColor: '#ff9999' })
    await expect(fixture.directory.apply(fileOf({ backgroundColor: '#ffffff' }))).rejects.toThrow(
      /fontColor.*has a contrast of 1\.00:1 to backgroundColor/,
    )
  })

  it('are named by the report of an import that keeps them', () => {
    const policy = { backgroundColor: '#123', warnColor: 'red', primaryColor: '#123456' }
    expect(notesOf(policy)).toEqual([
      expect.stringMatching(
        /^organization acme: not obeyed here: labelPolicy\.warnColor \(must be a colour such as #1a2b3c\), labelPolicy\.backgroundColor \(has a contrast of .*\)$/,
      ),
    ])
  })
})

describe('the scheme and the product name of a label policy', () => {
  const path = '/organizations/acme/policies/label'
  const effective = async () => (await fixture.call('GET', path)).body.effective
  afterEach(() => fixture.call('DELETE', path))

  it.each(['THEME_MODE_LIGHT', 'THEME_MODE_DARK'])('are shown as they act: %s', async (themeMode) => {
    expect((await fixture.call('PUT', path, { themeMode, disableWatermark: true })).status).toBe(200)
    expect(await effective()).toMatchObject({
      themeMode: { value: themeMode, source: 'organization' },
      disableWatermark: { value: true, source: 'organization' },
    })
  })

  it.each([
    {},
    { themeMode: 'THEME_MODE_UNSPECIFIED', disableWatermark: false },
    { themeMode: 'THEME_MODE_AUTO' },
  ])('are the defaults of the instance for %j', async (policy) => {
    await fixture.call('PUT', path, policy)
    expect(await effective()).toMatchObject({
      themeMode: { value: 'THEME_MODE_AUTO', source: 'instance' },
      disableWatermark: { value: false, source: 'instance' },
    })
  })
})

describe('the effective values', () => {
  const PER_POLICY: readonly (readonly [path: string, documents: readonly object[], columns: object])[] = [
    [
      'login',
      [
        { allowRegister: true, forceMfa: true, passwordCheckLifetime: '3600s' },
        { allowRegister: true, allowUsernamePassword: false },
        { allowUsernamePassword: true },
      ],
      { allowRegister: 'allow_register', forceMfa: 'force_mfa' },
    ],
    [
      'lockout',
      [{ maxPasswordAttempts: 3 }, { maxOtpAttempts: 2 }],
      { maxPasswordAttempts: 'max_password_attempts', maxOtpAttempts: 'max_otp_attempts' },
    ],
    [
      'password-complexity',
      [{ minLength: 12 }, { hasSymbol: true, hasNumber: true }],
      {
        minLength: 'password_min_length',
        hasSymbol: 'password_needs_symbol',
        hasNumber: 'password_needs_number',
      },
    ],
  ]

  it.each(PER_POLICY)('of the %s policy are those that sign-in reads', async (path, documents, columns) => {
    const url = `/organizations/acme/policies/${path}`
    for (const document of [undefined, ...documents]) {
      if (document === undefined) await fixture.call('DELETE', url)
      else expect((await fixture.call('PUT', url, document)).status).toBe(200)
      const { effective } = (await fixture.call('GET', url)).body
      const [view] = await fixture.directory.rows<Record<string, unknown>>(
        "SELECT * FROM directory_read.organization_v1 WHERE organization_id = 'acme'",
      )
      for (const [member, column] of Object.entries(columns)) {
        const given = Object.hasOwn(document ?? {}, member)
        const closed = path === 'login' && member === 'allowRegister' && document !== undefined
        expect(effective[member], `${member} of ${JSON.stringify(document)}`).toEqual({
          value: view?.[column],
          source: given || closed ? 'organization' : 'instance',
        })
      }
    }
    await fixture.call('DELETE', url)
  })

  it('of a privacy policy are the links that pages show', async () => {
    const path = '/organizations/acme/policies/privacy'
    const none = { value: null, source: 'instance' }
    const nothing = Object.fromEntries(PRIVACY_MEMBERS.map((member) => [member, none]))
    expect((await fixture.call('GET', path)).body.effective).toEqual(nothing)
    await fixture.directory.rows(
      `INSERT INTO directory.organization_policy VALUES ('acme', 'privacy',
         '{"tosLink": "https://acme.example/{{.Lang}}", "privacyLink": "javascript:alert(1)", "helpLink": "", "customLinkText": "Shop"}')`,
    )
    expect((await fixture.call('GET', path)).body).toMatchObject({
      notObeyed: ['privacyLink', 'customLinkText'],
      effective: { ...nothing, tosLink: { value: 'https://acme.example/{{.Lang}}', source: 'organization' } },
    })
    await fixture.call('DELETE', path)
  })

  it.each([
    [{ tosLink: 'javascript:alert(1)' }, 'tosLink', 'must be an https URL; http is for loopback hosts'],
    [{ supportEmail: 'mailto:a@acme.example' }, 'supportEmail', 'must be an e-mail address, without mailto:'],
    [
      { customLink: 'https://acme.example/' },
      'customLink',
      'has no effect without customLinkText; set both or neither',
    ],
  ])('of a privacy policy are refused with their rule: %o', async (policy, member, rule) => {
    const refused = await fixture.call('PUT', '/organizations/acme/policies/privacy', policy)
    expect([refused.status, refused.body.message]).toEqual([400, `${member}: ${rule}`])
    const acme = { id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost', privacyPolicy: policy }
    const { problems } = readBootstrap({ organizations: [acme] }, (text) => ({ value: text }))
    expect(problems).toEqual([{ path: `organizations[0].privacyPolicy.${member}`, rule }])
  })
})

describe('a value below a floor of the instance', () => {
  const organization = (more: object) => ({
    organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost', ...more }],
  })
  const read = (document: object) => readBootstrap(document, (text) => ({ value: text })).problems
  const stored = async (policy: PolicyName) =>
    (await fixture.call('GET', `/organizations/acme/policies/${PATHS[policy]}`)).body
  beforeEach(() =>
    fixture.directory.rows(
      `DELETE FROM directory.organization_policy WHERE kind IN ('lockout', 'password_complexity')`,
    ),
  )

  it.each(BELOW_FLOORS)('is refused by the management API: $member $value', async (row) => {
    const { policy, member, setting, value, floor } = row
    const put = (number: number) =>
      fixture.call('PUT', `/organizations/acme/policies/${PATHS[policy]}`, { [member]: number })
    const { status, body } = await put(value)
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(
        new RegExp(
          `^${member}: .*the instance .* at (least|most) ${floor}.*; change settings\\.${setting} first$`,
        ),
      ),
    ])
    expect(await stored(policy)).toMatchObject({ isDefault: true })
    expect((await put(floor)).status).toBe(200)
    expect(await stored(policy)).toEqual({
      isDefault: false,
      policy: { [member]: floor },
      notObeyed: [],
      defaults: expect.any(Object),
      effective: expect.objectContaining({ [member]: { value: floor, source: 'organization' } }),
    })
  })

  it.each(BELOW_FLOORS)('is a problem of a bootstrap file: $member $value', async (row) => {
    const { policy, member, setting, value, floor } = row
    const document: BootstrapFileInput = organization({ [policy]: { [member]: value } })
    const problem = new RegExp(
      `organizations\\[0\\]\\.${policy}\\.${member}\\b.*change settings\\.${setting} first`,
    )
    await expect(fixture.directory.apply(document)).rejects.toThrow(problem)
    const applied = await fixture.call('POST', '/apply', document)
    expect([applied.status, applied.body.message]).toEqual([400, expect.stringMatching(problem)])
    // Of a file that says the floor itself that floor counts.
    const contradiction = {
      ...organization({ [policy]: { [member]: floor } }),
      settings: { [setting]: stricter(row) },
    }
    expect(read(contradiction)).toEqual([
      {
        path: `organizations[0].${policy}.${member}`,
        rule: expect.stringContaining(`settings.${setting} first`),
      },
    ])
    await fixture.directory.apply({ ...document, settings: { [setting]: value } })
    expect(await stored(policy)).toMatchObject({ policy: { [member]: value }, notObeyed: [] })
    await fixture.directory.rows(
      'UPDATE directory.setting SET password_min_length = 8, max_password_attempts = 5, max_otp_attempts = 5',
    )
    await fixture.directory.rows('DELETE FROM directory.bootstrap_fingerprint')
  })

  it.each(BELOW_FLOORS)('is named by the report of an import: $member $value', (row) => {
    const { policy, member, value, floor } = row
    const notes = (number: number) =>
      policyNotes(
        organizationHeader.parse({ orgId: 'acme', org: { name: 'ACME' }, [policy]: { [member]: number } }),
        FLOORS,
      ).join('\n')
    expect(notes(value)).toMatch(
      new RegExp(
        `^organization acme: the setting of the instance holds instead: .*${policy}\\.${member} ${value}\\b`,
        'm',
      ),
    )
    expect(notes(floor)).not.toContain(`${policy}.${member}`)
  })

  it.each(BELOW_FLOORS)('is shown where it was stored before: $member $value', async (row) => {
    const { policy, member, value, floor } = row
    await fixture.directory.rows('INSERT INTO directory.organization_policy VALUES ($1, $2, $3)', [
      'acme',
      PATHS[policy].replace('-', '_'),
      JSON.stringify({ [member]: value }),
    ])
    const { notObeyed, effective } = await stored(policy)
    expect([notObeyed, effective[member]]).toEqual([[member], { value: floor, source: 'instance' }])
  })

  it('counts the password of a file against the floor of that file', () => {
    const user = {
      id: 'bob',
      userName: 'bob',
      profile: { givenName: 'B', familyName: 'B' },
      password: 'Abc-12',
    }
    const document = organization({ users: [user] })
    expect(read({ ...document, settings: { passwordMinLength: 6 } })).toEqual([])
    expect(read({ ...document, settings: { passwordMinLength: 7 } })).toMatchObject([
      { path: 'organizations[0].users[0].password' },
    ])
  })
})

function stricter({ floor, setting }: (typeof BELOW_FLOORS)[number]): number {
  return setting === 'passwordMinLength' ? floor + 1 : floor - 1
}
