import type { Account, UserGrant } from '@signet/directory-reader/views'
import { describe, expect, it } from 'vitest'
import { type RoleRequest, reservedClaims, roleClaims } from '../claims.ts'

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
