import type { Account } from '@signet/directory-reader/views'
import { ALICE, ALICE_CLAIMS } from '@signet/testing/fixture-user'
import { describe, expect, it } from 'vitest'
import { claimsOfScopes } from '../claims.ts'

const { profile, phone, address } = ALICE
const account: Account = {
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
    expect(claimsOfScopes(account, ['profile'])).toEqual({
      ...ALICE_CLAIMS.profile,
      updated_at: 1_893_456_000,
    })
  })

  it.each([
    ['email', { ...ALICE_CLAIMS.email, email_verified: false }],
    ['phone', ALICE_CLAIMS.phone],
    ['address', ALICE_CLAIMS.address],
    ['openid', {}],
    ['offline_access', {}],
    ['constructor', {}],
  ])('%s', (scope, claims) => {
    expect(claimsOfScopes(account, [scope])).toEqual(claims)
  })

  it('several scopes reveal the claims of each', () => {
    expect(Object.keys(claimsOfScopes(account, ['openid', 'email', 'phone']))).toEqual([
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
      expect(claimsOfScopes({ ...account, ...NOTHING }, [scope])).toEqual({})
    },
  )

  it('empty texts count as not known', () => {
    const claims = claimsOfScopes({ ...account, nickname: '', gender: null, locality: '' }, [
      'profile',
      'address',
    ])
    expect(claims).not.toHaveProperty('nickname')
    expect(claims).not.toHaveProperty('gender')
    expect(claims.address).not.toHaveProperty('locality')
  })
})
