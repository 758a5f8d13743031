import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import { encodeBase32 } from '@signet/tokens/identifiers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CredentialStore } from '../src/credentials/credential.repository.ts'
import { DoctorStore } from '../src/doctor/doctor.repository.ts'
import { PolicyStore } from '../src/organizations/policy.repository.ts'
import { createRehearseSignIn, type StagedPerson } from '../src/transfer/rehearse-sign-in.ts'
import { PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
beforeAll(async () => {
  fixture = await rpcFixture()
  const document = sampleDocument()
  const profile = { givenName: 'A', familyName: 'B' }
  const person = { id: 'solo-person', userName: 'solo-person', profile, password: PASSWORD }
  document.organizations.push({ id: 'solo', name: 'Solo', primaryDomain: 'solo.localhost', users: [person] })
  await fixture.directory.apply(document)
  await fixture.directory.rows(
    `INSERT INTO directory.passkey_user (user_id, handle) VALUES ('solo-person', decode(repeat('09', 32), 'hex'))`,
  )
})
afterAll(() => fixture?.stop())

const U2F = 'SECOND_FACTOR_TYPE_U2F'
const OTP = 'SECOND_FACTOR_TYPE_OTP'
const POLICIES = [
  {},
  { forceMfa: true },
  { forceMfaLocalOnly: true },
  { forceMfa: true, secondFactors: [OTP] },
  { forceMfa: true, secondFactors: [OTP, U2F] },
  { forceMfa: true, secondFactors: [OTP], passwordlessType: 'PASSWORDLESS_TYPE_NOT_ALLOWED' },
  { secondFactors: [OTP], passwordlessType: 'PASSWORDLESS_TYPE_NOT_ALLOWED' },
]
const FACTORS = ['none', 'totp', 'passkey', 'copied passkey', 'passkey of another RP ID'] as const
const cases = POLICIES.flatMap((policy) => FACTORS.map((factor) => [JSON.stringify(policy), factor] as const))

async function store(policy: string, factor: (typeof FACTORS)[number]) {
  const { rows } = fixture.directory
  for (const table of ['account_totp', 'passkey']) {
    await rows(`DELETE FROM directory.${table} WHERE user_id = 'solo-person'`)
  }
  await rows("DELETE FROM directory.organization_policy WHERE organization_id = 'solo'")
  await rows(
    "INSERT INTO directory.organization_policy (organization_id, kind, document) VALUES ('solo', 'login', $1)",
    [policy],
  )
  if (factor === 'totp')
    await rows("INSERT INTO directory.account_totp (user_id, sealed_seed) VALUES ('solo-person', '\\x01')")
  if (!factor.includes('passkey')) return
  const rpId = factor === 'passkey of another RP ID' ? 'former.example' : 'localhost'
  const clonedAt = factor === 'copied passkey' ? 'now()' : 'NULL'
  await rows(`INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports,
                aaguid, name, backup_eligible, backed_up, created_at, cloned_at)
              VALUES ('solo-key', 'solo-person', '${rpId}', decode(repeat('09', 32), 'hex'), '\\x01', 0, '{internal}',
                'bada5566-a7aa-401f-bd96-45619a55120d', 'Passkey', true, true, now(), ${clonedAt})`)
}

/** The person as a document has it. */
function staged(policy: string, factor: (typeof FACTORS)[number]): StagedPerson {
  const credentials = [{ passkeyId: 'solo-key', rpId: 'localhost' }]
  return {
    user: {
      userId: 'solo-person',
      user: {
        userName: 'solo-person',
        profile: { firstName: 'A', lastName: 'B' },
        password: PASSWORD,
        ...(factor === 'totp' && { otpCode: encodeBase32(Buffer.alloc(20, 1)) }),
        ...(factor.includes('passkey') && { passkeys: { handle: 'AA', credentials } }),
      },
    },
    organization: {
      orgId: 'solo',
      org: { name: 'Solo' },
      loginPolicy: { ...JSON.parse(policy), allowUsernamePassword: true },
    } as unknown as OrganizationHeader,
    outcome: 'c',
  } as unknown as StagedPerson
}

it.each(cases)(
  'the sign-in, the rehearsal and the doctor answer alike: policy %s, %s',
  async (policy, factor) => {
    await store(policy, factor)
    const { account } = await fixture.credentials.verifyPassword(
      { loginName: 'solo-person', organizationId: 'solo', password: PASSWORD },
      TIMEOUT,
    )
    const { secondFactorRequired = false, secondFactorEnrolmentRequired = false } = account ?? {}
    const rehearse = createRehearseSignIn({
      hasher: {} as PasswordHasher,
      credentials: new CredentialStore(fixture.directory.owner),
      policies: new PolicyStore(fixture.directory.owner),
      now: () => fixture.directory.clock.now(),
    })
    const rehearsed = await rehearse({
      ...{ loginName: 'solo-person', password: PASSWORD, otp: undefined },
      people: [staged(policy, factor)],
    })
    expect(rehearsed.outcome).toBe(secondFactorRequired ? 'secondFactorNeeded' : 'wouldSignIn')
    expect(rehearsed.steps?.includes('second_factor_enrolment') ?? false).toBe(secondFactorEnrolmentRequired)

    const doctor = new DoctorStore(fixture.directory.owner)
    const found = async (check: 'second_factor' | 'stopped_factor') =>
      (await doctor.find(check, { limit: 1_000, rpId: 'localhost', takesCertificates: false })).findings.some(
        ({ organizationId }) => organizationId === 'solo',
      )
    expect(await found('second_factor')).toBe(secondFactorEnrolmentRequired)
    // The person is asked for a factor and has none that counts, alone or after the password.
    const counts =
      factor === 'totp' ||
      (factor === 'passkey' && !(policy.includes('NOT_ALLOWED') && !policy.includes(U2F)))
    expect(await found('stopped_factor')).toBe(secondFactorRequired && !counts)
  },
)
