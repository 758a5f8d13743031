import type { Account, Client, UserGrant } from '@signet/directory-reader/views'
import { describe, expect, it } from 'vitest'
import { type ClaimSettings, groupsClaim, isWithinProject, mappedClaims } from './application-claims.ts'
import { organizationClaims } from './claims.ts'

const SETTINGS: ClaimSettings = {
  groupsClaim: 'groups',
  groupsQualified: false,
  groupsAsObjects: false,
  claimMapping: {},
  preferredUsernameWithoutDomain: false,
}
const PROJECT = {
  projectId: 'portal',
  roleKeys: ['admin', 'reader', 'x:y'],
  roleDisplayNames: ['Administrator', 'Reader', 'Both'],
}

const grant = (projectId: string, roleKeys: readonly string[]) =>
  ({ projectId, roleKeys, organizationId: 'acme', organizationPrimaryDomain: 'acme.localhost' }) as UserGrant
const GRANTS = [grant('other', ['writer']), grant('portal', ['admin', 'reader'])]

const groups = (settings: Partial<ClaimSettings> = {}, more: object = {}) =>
  groupsClaim({
    account: { organizationId: 'beta' },
    grants: GRANTS,
    scopes: ['openid', 'groups'],
    project: PROJECT,
    settings: { ...SETTINGS, ...settings },
    ...more,
  })

describe('groupsClaim', () => {
  it('lists the keys of the roles in the project, and of no other project', () => {
    expect(groups()).toEqual({ groups: ['admin', 'reader'] })
  })

  it('is an empty list without a role', () => {
    expect(groups({}, { grants: [grant('other', ['writer'])] })).toEqual({ groups: [] })
    expect(groups({}, { grants: [grant('portal', [])] })).toEqual({ groups: [] })
  })

  it('has the name of the setting', () => {
    expect(groups({ groupsClaim: 'roles' })).toEqual({ roles: ['admin', 'reader'] })
  })

  it('begins qualified values with the organization of the user, not with the owner of the project', () => {
    expect(groups({ groupsQualified: true })).toEqual({ groups: ['beta:admin', 'beta:reader'] })
  })

  it('shows objects with the display name of the role (RFC 7643 section 4.1.2)', () => {
    expect(groups({ groupsAsObjects: true })).toEqual({
      groups: [
        { value: 'admin', display: 'Administrator' },
        { value: 'reader', display: 'Reader' },
      ],
    })
    expect(groups({ groupsAsObjects: true, groupsQualified: true }).groups?.[0]).toEqual({
      value: 'beta:admin',
      display: 'Administrator',
    })
  })

  it('shows the key as display of a role that the row of the project does not have yet', () => {
    const grants = [grant('portal', ['new'])]
    expect(groups({ groupsAsObjects: true }, { grants })).toEqual({
      groups: [{ value: 'new', display: 'new' }],
    })
  })

  it.each(['urn:service:iam:', 'urn:zitadel:iam:'])('obeys %sorg:roles:id:{org}', (prefix) => {
    const asked = (id: string) => groups({}, { scopes: ['groups', `${prefix}org:roles:id:${id}`] })
    expect(asked('acme')).toEqual({ groups: ['admin', 'reader'] })
    expect(asked('gamma')).toEqual({ groups: [] })
  })

  // docs/spec 4.1: an id of an organization has no colon, while a role key has any character.
  const ORGANIZATIONS = ['acme', 'acme.example', 'a', 'a+b', '~', 'admin']
  const KEYS = ['admin', 'x:y', ':', 'acme:admin', 'a:acme:admin', 'beta admin', 'ä,b', 'acme.example:admin']
  it('gives every pair of organization and role a value of its own, which ends the organization at its first colon', () => {
    const values = new Map<string, string>()
    for (const organizationId of ORGANIZATIONS) {
      const of = { account: { organizationId }, grants: [grant('portal', KEYS)] }
      for (const [at, value] of (groups({ groupsQualified: true }, of).groups ?? []).entries()) {
        const pair = JSON.stringify([organizationId, KEYS[at]])
        expect(values.get(String(value)) ?? pair).toBe(pair)
        values.set(String(value), pair)
        const colon = String(value).indexOf(':')
        expect([String(value).slice(0, colon), String(value).slice(colon + 1)]).toEqual(JSON.parse(pair))
      }
    }
    expect(values.size).toBe(ORGANIZATIONS.length * KEYS.length)
  })
})

describe('mappedClaims', () => {
  const base64url = (text: string | Buffer) => Buffer.from(text).toString('base64url')
  const metadata = {
    department: base64url('Einkauf Süd'),
    'cost center': base64url('4711'),
    image: base64url(Buffer.from([0xff, 0xd8])),
    empty: '',
  }
  const MAPPING = { department: 'department', cost_center: 'cost center' }

  it.each(['urn:service:iam:user:metadata', 'urn:zitadel:iam:user:metadata'])(
    'are texts, for tokens with the scope %s',
    (scope) => {
      expect(mappedClaims({ metadata }, ['openid', scope], MAPPING)).toEqual({
        department: 'Einkauf Süd',
        cost_center: '4711',
      })
    },
  )

  it.each([[['openid', 'profile', 'groups']], [[]]])('are absent without that scope: %o', (scopes) => {
    expect(mappedClaims({ metadata }, scopes, MAPPING)).toEqual({})
  })

  it('leaves out keys that the user does not have, empty values and values that are no UTF-8', () => {
    const mapping = { a: 'unknown', b: 'image', c: 'empty', d: 'constructor', e: '__proto__' }
    expect(mappedClaims({ metadata }, ['urn:service:iam:user:metadata'], mapping)).toEqual({})
  })
})

describe('isWithinProject', () => {
  const projects: Readonly<Record<string, string | null>> = {
    web: 'portal',
    api: 'portal',
    foreign: 'shop',
    robot: null,
  }
  const directory = {
    client: async (id: string) =>
      id in projects ? ({ projectId: projects[id] } as unknown as Client) : undefined,
  }
  const isWithin = (...audience: string[]) =>
    isWithinProject(directory, { audience, clientId: 'exchanger' }, 'portal')

  it.each([[['exchanger', 'portal']], [['web', 'portal']], [['api']], [['exchanger', 'portal', 'signet']]])(
    '%o: yes',
    async (audience) => {
      expect(await isWithin(...audience)).toBe(true)
    },
  )

  it.each([[['exchanger', 'portal', 'shop']], [['foreign']], [['robot']], [['unknown']]])(
    '%o: no',
    async (audience) => {
      expect(await isWithin(...audience)).toBe(false)
    },
  )
})

describe('organizationClaims', () => {
  const account = {
    userId: 'alice',
    organizationId: 'beta',
    metadata: { department: Buffer.from('Sales').toString('base64url') },
  } as unknown as Account
  const directory = {
    userGrants: async () => GRANTS,
    project: async () => ({ ...PROJECT }) as never,
  }
  const scopes = ['openid', 'groups', 'urn:service:iam:user:metadata']
  const claims = (more: object) =>
    organizationClaims(directory, {
      account,
      scopes,
      projectId: 'portal',
      audience: [],
      assertRoles: false,
      settings: { ...SETTINGS, claimMapping: { department: 'department' } },
      ...more,
    })
  const reserved = { 'urn:service:iam:user:metadata': account.metadata }

  it('contains groups and mapped claims beside the reserved claims', async () => {
    expect(await claims({})).toEqual({ ...reserved, groups: ['admin', 'reader'], department: 'Sales' })
  })

  it('has neither without the settings of an application', async () => {
    expect(await claims({ settings: undefined })).toEqual(reserved)
  })

  it.each([
    { omitsGroups: true },
    { projectId: null },
    { scopes: ['openid', 'urn:service:iam:user:metadata'] },
  ])('has no groups with %o', async (more) => {
    expect(await claims(more)).toEqual({ ...reserved, department: 'Sales' })
  })

  it('shows no groups for role assertion alone: they answer a scope', async () => {
    expect(await claims({ scopes: ['openid'], assertRoles: true })).toEqual({
      'urn:service:iam:org:project:roles': expect.anything(),
      'urn:service:iam:org:project:portal:roles': expect.anything(),
    })
  })
})
