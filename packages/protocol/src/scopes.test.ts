import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidScopeError } from './errors.ts'
import { formatScopeString, isKnownScope, parseReservedScope, parseScopeString } from './scopes.ts'

const scopeToken = fc.string({
  unit: fc
    .integer({ min: 0x21, max: 0x7e })
    .filter((code) => code !== 0x22 && code !== 0x5c)
    .map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 30,
})

describe('scope strings', () => {
  it('RFC 6749 section 3.3: any list of scope tokens survives formatting and parsing', () => {
    fc.assert(
      fc.property(fc.uniqueArray(scopeToken), (scopes) => {
        expect(parseScopeString(formatScopeString(scopes))).toEqual(scopes)
      }),
    )
  })

  it('RFC 6749 section 3.3: any other character is refused', () => {
    const outside = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((text) => !/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/.test(text))
    fc.assert(
      fc.property(outside, scopeToken, (character, token) => {
        expect(() => parseScopeString(`openid ${token}${character}`)).toThrow(InvalidScopeError)
      }),
    )
  })

  it('drops duplicates and surplus spaces, and returns none for an absent parameter', () => {
    expect(parseScopeString(' openid  email openid ')).toEqual(['openid', 'email'])
    expect(parseScopeString(undefined)).toEqual([])
  })

  it('OIDC Core section 11: offline_access is known, a made-up scope is not', () => {
    expect(isKnownScope('offline_access')).toBe(true)
    expect(isKnownScope('everything')).toBe(false)
  })
})

describe('reserved scopes', () => {
  it.each([
    ['user:metadata', { kind: 'user_metadata' }],
    ['user:resourceowner', { kind: 'user_resource_owner' }],
    ['org:id:acme', { kind: 'organization_id', value: 'acme' }],
    ['org:domain:primary:acme.example', { kind: 'organization_domain', value: 'acme.example' }],
    ['org:project:role:reader', { kind: 'project_role', value: 'reader' }],
    ['org:project:role:a:b', { kind: 'project_role', value: 'a:b' }],
    ['org:projects:roles', { kind: 'projects_roles' }],
    ['org:project:id:portal:aud', { kind: 'project_audience', value: 'portal' }],
    ['org:roles:id:acme', { kind: 'roles_of_organization', value: 'acme' }],
  ])('recognizes %s under both prefixes and keeps the one that was used', (name, expected) => {
    expect(parseReservedScope(`urn:service:iam:${name}`)).toEqual({ prefix: 'urn:service:iam:', ...expected })
    expect(parseReservedScope(`urn:zitadel:iam:${name}`)).toEqual({ prefix: 'urn:zitadel:iam:', ...expected })
  })

  it.each([
    'openid',
    'urn:service:iam:',
    'urn:service:iam:org:id:',
    'urn:service:iam:org:id:a:b',
    'urn:service:iam:user:password',
    'urn:other:iam:user:metadata',
    'urn:service:iam:constructor',
  ])('%s is none', (scope) => {
    expect(parseReservedScope(scope)).toBeUndefined()
  })
})
