import { describe, expect, it } from 'vitest'
import { claimMappingProblems } from './claim-mapping.ts'

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`claim_${at}`, 'key']))

describe('claimMappingProblems', () => {
  it.each([
    [{}],
    [{ department: 'department', cost_center: 'cost center', 'https://hasura.io/jwt/claims': 'hasura' }],
    [many(20)],
    [{ [`a${'b'.repeat(99)}`]: 'k'.repeat(200) }],
  ])('accepts %o', (mapping) => {
    expect(claimMappingProblems(mapping)).toEqual([])
  })

  it.each([
    ...[
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'nbf',
      'jti',
      'azp',
      'nonce',
      'acr',
      'amr',
      'auth_time',
      'at_hash',
    ],
    ...['c_hash', 'sid', 'act', 'scope', 'client_id', 'cnf', 'events', 'email', 'email_verified'],
    ...['phone_number_verified', 'active', 'token_type', 'username', 'groups', 'roles', 'Email_Verified'],
    ...['urn:service:iam:rv', 'urn:zitadel:iam:org:project:roles', 'URN:ZITADEL:iam:org:id'],
  ])('refuses the claim %s by its name', (claim) => {
    expect(claimMappingProblems({ department: 'department', [claim]: 'key' })).toEqual([
      { claim, rule: 'is the name of a claim that is not filled from metadata' },
    ])
  })

  it.each(['', '__proto__', '_claim', '1st', 'a b', 'ü', `a${'b'.repeat(100)}`])(
    'refuses the malformed name "%s" without repeating it',
    (claim) => {
      expect(claimMappingProblems(Object.fromEntries([[claim, 'key']]))).toEqual([
        { rule: expect.stringContaining('names of claims have 1 to 100 characters') },
      ])
    },
  )

  it('refuses more than 20 claims', () => {
    expect(claimMappingProblems(many(21))).toEqual([{ rule: 'may have at most 20 claims' }])
  })

  it.each(['', 'k'.repeat(201), 'a\0b'])('refuses a value that is no metadata key', (key) => {
    expect(claimMappingProblems({ department: key })).toEqual([
      { claim: 'department', rule: 'must be a metadata key of 1 to 200 characters' },
    ])
  })
})
