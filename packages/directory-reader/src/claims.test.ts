import type { Account, UserGrant } from '@signet/directory-reader/views'
import { ALICE, ALICE_CLAIMS } from '@signet/testing/fixture-user'
import { describe, expect, it } from 'vitest'
import { claimsNamed, claimsOfScopes, type RoleRequest, reservedClaims, roleClaims } from './claims.ts'

const { profile, phone, address } = ALICE
const fullAccount: Account = {
  userId: ALICE.id,
  kind: 'human',
  organizationId: 'acme',
  organizationName: 'ACME',
  organizationPrimaryDomain: 'acme.localhost',
  userName: ALICE.userName,
  loginName: ALICE_CLAIMS.profile.preferred_username,
  name: profile.displayName,
  givenName: profile.givenName,
  familyName: profile.familyName,
  middleName: profile.middleName,
  nickname: profile.nickName,
  profile: profile.profileUrl,
  picture: profile.picture,
  website: profile.website,
  gender: profile.gender,
  birthdate: profile.birthdate,
  zoneinfo: profile.zoneinfo,
  locale: profile.preferredLanguage,
  email: ALICE.email.address,
  emailVerified: false,
  phoneNumber: phone.number,
  phoneNumberVerified: phone.verified,
  ...address,
  metadata: {},
  active: true,
  tokenEpoch: 0,
  organizationTokenEpoch: 0,
  updatedAt: new Date('2030-01-01T00:00:00.900Z'),
}
const NOTHING = {
  email: null,
  phoneNumber: null,
  streetAddress: null,
  locality: null,
  region: null,
  postalCode: null,
  country: null,
}

describe('returns the claims of each scope (OIDC Core section 5.4)', () => {
  it('profile: all 14 standard claims, updated_at in whole seconds', () => {
    expect(claimsOfScopes(fullAccount, ['profile'])).toEqual({
      ...ALICE_CLAIMS.profile,
      updated_at: 1_893_456_000,
    })
  })

  it('preferred_username without its domain where the application wants it', () => {
    const setting = { preferredUsernameWithoutDomain: true }
    const { preferred_username } = claimsOfScopes(fullAccount, ['profile'], setting)
    expect(preferred_username).toBe(fullAccount.userName)
    expect(claimsNamed(fullAccount, ['preferred_username'], setting)).toEqual({ preferred_username })
  })

  it.each([
    ['email', { ...ALICE_CLAIMS.email, email_verified: false }],
    ['phone', ALICE_CLAIMS.phone],
    ['address', ALICE_CLAIMS.address],
    ['openid', {}],
    ['offline_access', {}],
    ['constructor', {}],
  ])('%s', (scope, claims) => {
    expect(claimsOfScopes(fullAccount, [scope])).toEqual(claims)
  })

  it('several scopes reveal the claims of each', () => {
    expect(Object.keys(claimsOfScopes(fullAccount, ['openid', 'email', 'phone']))).toEqual([
      'email',
      'email_verified',
      'phone_number',
      'phone_number_verified',
    ])
  })
})

describe('omits unknown claims (OIDC Core section 5.3.2)', () => {
  it.each(['email', 'phone', 'address'])(
    '%s of an account without the values reveals nothing, also no lone boolean',
    (scope) => {
      expect(claimsOfScopes({ ...fullAccount, ...NOTHING }, [scope])).toEqual({})
    },
  )

  it('empty texts count as not known', () => {
    const claims = claimsOfScopes({ ...fullAccount, nickname: '', gender: null, locality: '' }, [
      'profile',
      'address',
    ])
    expect(claims).not.toHaveProperty('nickname')
    expect(claims).not.toHaveProperty('gender')
    expect(claims.address).not.toHaveProperty('locality')
  })
})

const account = {
  userId: 'alice',
  organizationId: 'acme',
  organizationName: 'ACME',
  organizationPrimaryDomain: 'acme.localhost',
  metadata: { customer: 'NDcxMQ' },
} as unknown as Account

const grant = (projectId: string, organizationId: string, roleKeys: readonly string[]): UserGrant => ({
  userId: 'alice',
  projectId,
  userGrantId: `${projectId}-alice`,
  organizationId,
  organizationPrimaryDomain: `${organizationId}.localhost`,
  roleKeys,
})
const grants = [grant('portal', 'acme', ['admin', 'reader']), grant('other', 'beta', ['writer'])]

const roles = (change: Partial<RoleRequest>) =>
  roleClaims({
    grants,
    scopes: [],
    projectId: 'portal',
    audience: ['web', 'portal'],
    assertRoles: false,
    ...change,
  })

describe.each(['urn:service:iam:', 'urn:zitadel:iam:'])('%s', (prefix) => {
  const owner = {
    [`${prefix}user:resourceowner:id`]: 'acme',
    [`${prefix}user:resourceowner:name`]: 'ACME',
    [`${prefix}user:resourceowner:primary_domain`]: 'acme.localhost',
  }

  it.each<[string, object]>([
    ['user:metadata', { [`${prefix}user:metadata`]: { customer: 'NDcxMQ' } }],
    ['user:resourceowner', owner],
    ['org:id:acme', { [`${prefix}org:id`]: 'acme', ...owner }],
    ['org:domain:primary:acme.localhost', { [`${prefix}org:domain:primary`]: 'acme.localhost' }],
    ['org:project:id:other:aud', {}],
  ])('%s', (scope, claims) => {
    expect(reservedClaims(account, ['openid', `${prefix}${scope}`])).toEqual(claims)
  })

  it('metadata is left out when there is none', () => {
    expect(reservedClaims({ ...account, metadata: {} }, [`${prefix}user:metadata`])).toEqual({})
  })

  it('org:project:role:{key}: this role of the own project, when the user has it', () => {
    const value = { admin: { acme: 'acme.localhost' } }
    expect(roles({ scopes: [`${prefix}org:project:role:admin`, `${prefix}org:project:role:owner`] })).toEqual(
      {
        [`${prefix}org:project:roles`]: value,
        [`${prefix}org:project:portal:roles`]: value,
      },
    )
    expect(roles({ scopes: [`${prefix}org:project:role:writer`] })).toEqual({})
  })

  it('org:projects:roles: every role in every project of the audience', () => {
    const all = { admin: { acme: 'acme.localhost' }, reader: { acme: 'acme.localhost' } }
    const scopes = [`${prefix}org:projects:roles`]
    const own = { [`${prefix}org:project:roles`]: all, [`${prefix}org:project:portal:roles`]: all }
    expect(roles({ scopes })).toEqual(own)
    expect(roles({ scopes, audience: ['web', 'portal', 'other'] })).toEqual({
      ...own,
      [`${prefix}org:project:other:roles`]: { writer: { beta: 'beta.localhost' } },
    })
  })

  it('org:roles:id:{org}: only roles that were granted there', () => {
    const scopes = [`${prefix}org:projects:roles`, `${prefix}org:roles:id:beta`]
    expect(roles({ scopes, audience: ['portal', 'other'] })).toEqual({
      [`${prefix}org:project:other:roles`]: { writer: { beta: 'beta.localhost' } },
    })
  })
})

describe('role assertion', () => {
  it('shows the roles of the own project without a scope, and of no other', () => {
    expect(Object.keys(roles({ assertRoles: true, audience: ['portal', 'other'] })).sort()).toEqual([
      'urn:service:iam:org:project:portal:roles',
      'urn:service:iam:org:project:roles',
    ])
  })

  it('shows nothing to an application without a project', () => {
    expect(roles({ assertRoles: true, projectId: null })).toEqual({})
  })
})
