import { createSignInPageReader, type FindSignInPage } from '@signet/directory-reader/sign-in-page'
import type { InstanceSettings } from '@signet/directory-reader/views'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import { rpcClient } from '@signet/grpc/client'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Database } from '@signet/platform/postgres/pool'
import { encodeBase32 } from '@signet/tokens/identifiers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CredentialStore } from '../src/credentials/credential.repository.ts'
import { PasskeyStore } from '../src/credentials/passkey.repository.ts'
import { DoctorStore } from '../src/doctor/doctor.repository.ts'
import { ImpersonationStore } from '../src/impersonations/impersonation.repository.ts'
import { PolicyStore } from '../src/organizations/policy.repository.ts'
import {
  POLICY_KINDS,
  POLICY_MEMBERS,
  POLICY_NAMES,
  type PolicyKind,
} from '../src/organizations/policy-rules.ts'
import { RegistrationStore } from '../src/registration/registration.repository.ts'
import { createRehearseSignIn, type StagedPerson } from '../src/transfer/rehearse-sign-in.ts'
import { PASSWORD } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { TIMEOUT } from './rpc-fixture.ts'

const OTP = 'SECOND_FACTOR_TYPE_OTP'
const U2F = 'SECOND_FACTOR_TYPE_U2F'
const MULTI = 'MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION'
const NOT_ALLOWED = 'PASSWORDLESS_TYPE_NOT_ALLOWED'
const FLAG = [true, false, null]
const LIFETIME = ['0s', '3600s', '864000s', '1.9s', null]

/** Each member that acts with values of each kind, those that only an import stores included. */
const MEMBERS: Readonly<Partial<Record<PolicyKind, Readonly<Record<string, readonly unknown[]>>>>> = {
  login: {
    allowUsernamePassword: FLAG,
    allowRegister: FLAG,
    allowDomainDiscovery: FLAG,
    allowImpersonation: FLAG,
    allowExternalIdp: FLAG,
    idps: [
      [],
      [{ idpId: 'corporate' }],
      [{ idpId: 'second' }, { idpId: 'corporate' }],
      [{ idpId: 'gone' }],
      null,
    ],
    forceMfa: FLAG,
    forceMfaLocalOnly: FLAG,
    passwordlessType: ['PASSWORDLESS_TYPE_ALLOWED', NOT_ALLOWED, null],
    secondFactors: [[], [OTP], [OTP, U2F], [U2F, OTP], [U2F], ['SECOND_FACTOR_TYPE_OTP_EMAIL'], null],
    multiFactors: [[], [MULTI], null],
    hidePasswordReset: FLAG,
    identifierFirst: FLAG,
    sessionEndsWithBrowser: FLAG,
    disableLoginWithEmail: FLAG,
    passwordCheckLifetime: LIFETIME,
    externalLoginCheckLifetime: LIFETIME,
    secondFactorCheckLifetime: LIFETIME,
    multiFactorCheckLifetime: LIFETIME,
    mfaInitSkipLifetime: LIFETIME,
  },
  lockout: {
    maxPasswordAttempts: [0, 1, 5, 6, 5_000, '3', null],
    maxOtpAttempts: [0, 1, 5, 6, 5_000, '3', null],
  },
  password_complexity: {
    minLength: [1, 7, 8, 12, '10', null],
    hasUppercase: FLAG,
    hasLowercase: FLAG,
    hasNumber: FLAG,
    hasSymbol: FLAG,
  },
  domain: { userLoginMustBeDomain: FLAG },
}

/** Members of one policy that act together. */
const TOGETHER: readonly (readonly [PolicyKind, object])[] = [
  ['login', { allowRegister: true, allowUsernamePassword: false }],
  ['login', { allowRegister: true, allowUsernamePassword: true }],
  ['login', { forceMfa: false, forceMfaLocalOnly: true }],
  ['login', { forceMfa: true, forceMfaLocalOnly: false }],
  ['login', { forceMfa: true, allowUsernamePassword: false }],
  ['login', { forceMfa: true, secondFactors: [OTP] }],
  ['login', { forceMfa: true, secondFactors: [OTP, U2F] }],
  ['login', { forceMfa: true, multiFactors: [] }],
  ['login', { forceMfa: true, secondFactors: [OTP], passwordlessType: NOT_ALLOWED }],
  ['login', { secondFactors: [OTP], passwordlessType: NOT_ALLOWED }],
]

const KINDS = Object.keys(MEMBERS) as readonly PolicyKind[]
const POLICIES: readonly (readonly [PolicyKind, object])[] = [
  ...KINDS.flatMap((kind) =>
    Object.entries(MEMBERS[kind] ?? {}).flatMap(([member, values]) =>
      values.map((value) => [kind, { [member]: value }] as const),
    ),
  ),
  ...TOGETHER,
]

/** Members that the verification of a password does not read, which takes most of the time of this test. */
const NOT_OF_PASSWORDS =
  /CheckLifetime|allowDomainDiscovery|allowImpersonation|allowExternalIdp|idps|identifierFirst|hidePasswordReset|sessionEndsWithBrowser|"allowRegister"/

const PEOPLE = ['none', 'totp', 'passkey'] as const
const VIEWS = ['organization_v1', 'passkey_policy_v1', 'sign_in_page_v1', 'password_reset_v1']
const CREDENTIAL = Buffer.alloc(32, 9)

let fixture: ManagementFixture
let reader: Database
let signIn: (loginName: string) => Promise<unknown>
beforeAll(async () => {
  fixture = await managementFixture()
  fixture.bearers.set('owner', { roles: ['IAM_OWNER'] })
  const { directory, service } = fixture
  reader = directory.as('signet_login')
  await directory.apply({
    organizations: [
      {
        id: 'solo',
        name: 'Solo',
        primaryDomain: 'solo.localhost',
        users: PEOPLE.map((id) => ({
          id,
          userName: id,
          profile: { givenName: 'A', familyName: 'B' },
          password: PASSWORD,
          email: { address: `${id}@mail.example`, verified: true },
        })),
      },
    ],
  })
  await directory.rows("INSERT INTO directory.account_totp (user_id, sealed_seed) VALUES ('totp', '\\x01')")
  await directory.rows("INSERT INTO directory.passkey_user (user_id, handle) VALUES ('passkey', $1)", [
    CREDENTIAL,
  ])
  await directory.rows(
    `INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports,
       aaguid, name, backup_eligible, backed_up, created_at)
     VALUES ('key', 'passkey', 'localhost', $1, '\\x01', 0, '{internal}', 'bada5566-a7aa-401f-bd96-45619a55120d',
       'Passkey', true, true, now())`,
    [CREDENTIAL],
  )
  await directory.rows(
    `INSERT INTO directory.identity_provider (provider_id, organization_id, name, issuer, client_id, client_authentication, scopes)
     SELECT id, 'solo', id, 'https://' || id || '.example', 'signet', 'none', '{openid}' FROM unnest('{corporate,second}'::text[]) id`,
  )
  await directory.rows('UPDATE directory.setting SET sends_mail = true')
  const network = createInProcessNetwork({ onFailure: () => undefined })
  network.serve('directory', service.rpc ?? [])
  const credentials = rpcClient(CredentialService, network.transport('login', 'directory'))
  signIn = async (loginName) => {
    const asked = { loginName, organizationId: 'solo', password: PASSWORD }
    const { account, refusedRule } = await credentials.verifyPassword(asked, TIMEOUT)
    if (account === undefined) return refusedRule ?? 'refused'
    const { secondFactorRequired, secondFactorEnrolmentRequired, passkeyOffered } = account
    return { secondFactorRequired, secondFactorEnrolmentRequired, passkeyOffered }
  }
})
afterAll(() => fixture?.stop())

/** The answers of each consumer while the organization has this policy. */
async function answers(kind: PolicyKind, document: object | undefined): Promise<Record<string, unknown>> {
  const { directory } = fixture
  await directory.rows("DELETE FROM directory.organization_policy WHERE organization_id = 'solo'")
  if (document !== undefined) {
    await directory.rows(
      "INSERT INTO directory.organization_policy (organization_id, kind, document) VALUES ('solo', $1, $2)",
      [kind, JSON.stringify(document)],
    )
  }
  const found: Record<string, unknown> = {}
  for (const view of VIEWS) found[view] = await rowOf(view)
  found.providers = (await findPage('solo')).providers.map(({ id }) => id)
  found.discovered = (await findPage(undefined, 'any@solo.localhost')).providers.map(({ id }) => id)
  const [functions] = await directory.rows<{ complexity: object; global: boolean }>(
    "SELECT directory.password_complexity('solo') AS complexity, directory.user_names_are_global('solo') AS global",
  )
  found.global = functions?.global
  // A member that is false or left out asks for nothing.
  found.newPassword = Object.fromEntries(
    Object.entries(functions?.complexity ?? {}).filter(([, value]) => value),
  )
  found.api = await apiAnswers()
  const registrations = new RegistrationStore(directory.owner, directory.masterKeys)
  found.registration = (await registrations.findOrganization('solo'))?.allowsRegistration
  found.impersonation = (await new ImpersonationStore(directory.owner).findAccount('none'))?.allowed
  if (kind !== 'login' || NOT_OF_PASSWORDS.test(JSON.stringify(document))) return found
  found.signIn = Object.fromEntries(
    await Promise.all(PEOPLE.map(async (person) => [person, await signIn(person)] as const)),
  )
  found.signInByPasskey = await new PasskeyStore(directory.owner, 'localhost').find(CREDENTIAL)
  found.rehearsal = Object.fromEntries(
    await Promise.all(
      PEOPLE.map(async (person) => {
        // A document that leaves the member out forbids passwords.
        const policy = document && { allowUsernamePassword: true, ...document }
        return [person, await rehearsed(person, person, policy)] as const
      }),
    ),
  )
  if (JSON.stringify(document ?? {}).includes('disableLoginWithEmail')) {
    found.signInByAddress = await signIn('none@mail.example')
    found.rehearsalByAddress = await rehearsed('none', 'none@mail.example', {
      allowUsernamePassword: true,
      ...document,
    })
  }
  const doctor = new DoctorStore(directory.owner)
  for (const check of ['second_factor', 'stopped_factor', 'password_sign_in'] as const) {
    found[check] = (
      await doctor.find(check, { limit: 10, rpId: 'localhost', takesCertificates: false })
    ).findings.map(({ id, detail }) => ({
      id,
      detail,
    }))
  }
  return found
}

/** The sign-in page as login reads it, without a cache. */
function findPage(...asked: Parameters<FindSignInPage>) {
  const settings = { defaultOrganizationId: null } as InstanceSettings
  const directory = { follow: () => undefined, settings: async () => settings }
  return createSignInPageReader({ database: reader, directory })(...asked)
}

/** A row as the role of login reads it, without what no policy changes. */
async function rowOf(view: string): Promise<unknown> {
  const { rows } = await reader.query<{ row: Record<string, unknown> }>({
    name: '',
    text: `SELECT to_jsonb(v) - 'token_epoch' AS row FROM directory_read.${view} v WHERE organization_id = 'solo'`,
  })
  return rows[0]?.row
}

async function apiAnswers() {
  const answered = await Promise.all(
    Object.values(POLICY_KINDS)
      .filter((kind) => KINDS.includes(kind))
      .map(async (kind) => {
        const path = `/organizations/solo/policies/${kind.replace('_', '-')}`
        const { effective, notObeyed } = (await fixture.call('GET', path)).body
        return [kind, { effective, notObeyed }] as const
      }),
  )
  return Object.fromEntries(answered)
}

/** The answer of the rehearsal about a person as a document has it. */
async function rehearsed(person: (typeof PEOPLE)[number], loginName: string, policy: object | undefined) {
  const { directory } = fixture
  const rehearse = createRehearseSignIn({
    hasher: {} as PasswordHasher,
    credentials: new CredentialStore(directory.owner),
    policies: new PolicyStore(directory.owner),
    now: directory.clock.now,
  })
  const staged = {
    user: {
      userId: person,
      user: {
        userName: person,
        profile: { firstName: 'A', lastName: 'B' },
        email: { email: `${person}@mail.example`, isEmailVerified: true },
        password: PASSWORD,
        ...(person === 'totp' && { otpCode: encodeBase32(Buffer.alloc(20, 1)) }),
        ...(person === 'passkey' && {
          passkeys: { handle: 'AA', credentials: [{ passkeyId: 'key', rpId: 'localhost' }] },
        }),
      },
    },
    organization: {
      orgId: 'solo',
      org: { name: 'Solo' },
      ...(policy && { loginPolicy: policy }),
    } as unknown as OrganizationHeader,
    outcome: 'c',
  } as unknown as StagedPerson
  const { outcome, steps } = await rehearse({
    loginName,
    password: PASSWORD,
    otp: undefined,
    people: [staged],
  })
  return { outcome, ...(steps && { steps }) }
}

/** The leaves of an answer by their path. */
function leaves(value: unknown, path = ''): readonly (readonly [string, string])[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || Buffer.isBuffer(value)) return [[path, JSON.stringify(value) ?? 'absent']]
  return Object.entries(value).flatMap(([name, member]) =>
    leaves(member, path === '' ? name : `${path}.${name}`),
  )
}

/** The answers of each policy as text, and of each member those beside the management API for each of its values. */
async function answerTable() {
  const lines: string[] = []
  const answersOf = new Map<string, Set<string>>()
  const added = (policy: string, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) => {
    const changed = [...after]
      .filter(([path, value]) => before.get(path) !== value && !path.endsWith('Epoch'))
      .map(([path, value]) => `  ${path} = ${value}`)
    lines.push(policy, ...changed)
    return changed.filter((line) => !line.startsWith('  api.')).join('\n')
  }
  const without = new Map(leaves(await answers('login', undefined)))
  added('without a policy', new Map(), without)
  for (const kind of KINDS) {
    const empty = new Map(leaves(await answers(kind, {})))
    added(`${kind} {}, beside no policy`, without, empty)
    for (const document of POLICIES.flatMap(([of, policy]) => (of === kind ? [policy] : []))) {
      const after = new Map(leaves(await answers(kind, document)))
      const changed = added(`${kind} ${JSON.stringify(document)}, beside {}`, empty, after)
      const [member, ...others] = Object.keys(document)
      if (member === undefined || others.length > 0) continue
      answersOf.set(`${kind}.${member}`, (answersOf.get(`${kind}.${member}`) ?? new Set()).add(changed))
    }
  }
  return { text: `${lines.join('\n')}\n`, answersOf }
}

it('has values of each member that acts', () => {
  const acting = KINDS.flatMap((kind) =>
    Object.entries(POLICY_MEMBERS[POLICY_NAMES[kind]])
      .filter(([, { kind: treatment }]) => treatment !== 'refused')
      .map(([member]) => `${kind}.${member}`),
  )
  const listed = KINDS.flatMap((kind) =>
    Object.keys(MEMBERS[kind] ?? {}).map((member) => `${kind}.${member}`),
  )
  expect(listed.sort()).toEqual(acting.sort())
})

it('finds each member obeyed beside the management API, with the answers of the held table', async () => {
  const { text, answersOf } = await answerTable()
  // A member that no consumer reads has one answer for all its values.
  expect([...answersOf].flatMap(([member, found]) => (found.size > 1 ? [] : [member]))).toEqual([])
  await expect(text).toMatchFileSnapshot('effective-policies.txt')
}, 120_000)
