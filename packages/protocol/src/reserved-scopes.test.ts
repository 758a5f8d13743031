import { describe, expect, it } from 'vitest'
import { parseReservedScope } from './scopes.ts'

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
