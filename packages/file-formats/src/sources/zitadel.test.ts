import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'
import { convertZitadel } from './zitadel.ts'

const convert = (document: unknown, options = {}) =>
  convertAll(convertZitadel, [sourceFile(document, 'zitadel.json')], options)
// As in the guide "Migrate users" of ZITADEL.
const humanUser = {
  userId: '104133391271651848',
  user: {
    userName: 'test9@test9',
    profile: { firstName: 'Road', lastName: 'Runner', displayName: 'Road Runner', preferredLanguage: 'en' },
    email: { email: 'test@test.com', isEmailVerified: false },
    hashedPassword: {
      value: '$2a$14$aPbwhMVJSVrRRW2NoM/5.esSJO6o/EIGzGxWiM5SAEZlGqCsr9DAK',
      algorithm: 'bcrypt',
    },
  },
}
const organization = { orgId: '104133391254874632', org: { name: 'ACME' }, humanUsers: [humanUser] }

describe('convertZitadel', () => {
  it.each([
    ['an export', { orgs: [organization] }],
    ['the body of an import of the v2 layout', { timeout: '10m', data_orgs: { orgs: [organization] } }],
    ['the body of an import of the v1 layout', { timeout: '10m', dataOrgsv1: { orgs: [organization] } }],
  ])('reads %s', async (_, document) => {
    const { parts, headers, records, kinds } = await convert(document)
    expect(headers).toEqual([{ orgId: '104133391254874632', org: { name: 'ACME' } }])
    expect(records('humanUsers')).toEqual([humanUser])
    expect(kinds).toEqual({})
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it('leaves organizations of zitadel-tools without the name that the file does not have', async () => {
    const { org: _, ...nameless } = organization
    const document = { dataOrgs: { orgs: [nameless] } }
    const unnamed = await convert(document)
    expect(unnamed.headers[0]).toEqual({ orgId: '104133391254874632' })
    expect(problemsOf(documentOf(unnamed.parts))).toEqual([])
    const { headers, parts } = await convert(document, { organizationName: 'ACME' })
    expect(headers[0]).toMatchObject({ org: { name: 'ACME' } })
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it.each([
    ['first', 'result', 'id', 'oidcConfig', 'apiConfig'],
    ['second', 'applications', 'applicationId', 'oidcConfiguration', 'apiConfiguration'],
  ])('gives applications their client ids from answers of the %s version of the API', async (...names) => {
    const [, list = '', id = '', oidc = '', api = ''] = names
    const app = { projectId: 'p1', name: 'Web', redirectUris: ['https://web.example/callback'] }
    const document = {
      ...organization,
      projects: [{ projectId: 'p1', project: { name: 'Shop' } }],
      oidcApps: ['a1', 'a2', 'a5'].map((appId) => ({ appId, app })),
      apiApps: [{ appId: 'a3', app: { projectId: 'p1', name: 'Api' } }],
    }
    const answer = {
      details: { totalResult: '5' },
      [list]: [
        {
          [id]: 'a1',
          state: 'APP_STATE_ACTIVE',
          name: 'Web',
          [oidc]: { clientId: '272@shop', devMode: true },
        },
        { [id]: 'a2', name: 'Odd', [oidc]: { clientId: 'a b\u0000' } },
        { [id]: 'a3', name: 'Api', [api]: { clientId: '273' } },
        { [id]: 'a4', name: 'Gone', [oidc]: { clientId: '274' } },
        { name: 'Nameless' },
      ],
    }
    const files = [
      sourceFile({ orgs: [document] }, 'export.json'),
      sourceFile(JSON.stringify(answer, undefined, 2), 'apps-p1.json'),
    ]
    const { parts, records, kinds, values } = await convertAll(convertZitadel, files, {})
    const clientIds = [...records('oidcApps'), ...records('apiApps')] as readonly { app: object }[]
    expect(clientIds.map((record) => record.app)).toEqual([
      { ...app, clientId: '272@shop' },
      app,
      app,
      { projectId: 'p1', name: 'Api', clientId: '273' },
    ])
    expect(Object.keys(kinds)).toEqual([
      'oidcApps, left out: an application without an id',
      'applications, the client id is no id here',
      'oidcApps, left out: the document of its organization is missing',
    ])
    expect(values.map(({ effect, next }) => [effect, next])).toEqual([
      ['sign-in', 'create the application by hand'],
      ['sign-in', 'use the client id a2'],
      ['sign-in', 'create the application by hand'],
    ])
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it('refuses a file of applications that has none', async () => {
    const files = [sourceFile({ result: [{ name: 'x' }] }, 'apps.json')]
    await expect(convertAll(convertZitadel, files, {})).rejects.toThrow('apps.json has no list result')
  })

  it('leaves out a bad hash without its user, but not the end of a key', async () => {
    const bad = { ...humanUser, user: { ...humanUser.user, hashedPassword: { value: '$unknown$' } } }
    const machineKeys = [{ keyId: 'k', userId: 'm', expirationDate: 'never', publicKey: 'x' }]
    const { records, kinds } = await convert({ orgs: [{ ...organization, humanUsers: [bad], machineKeys }] })
    const { hashedPassword: _, ...user } = humanUser.user
    expect(records('humanUsers')).toEqual([{ ...humanUser, user }])
    expect(records('machineKeys')).toEqual([])
    expect(Object.keys(kinds)).toHaveLength(2)
  })

  it('counts members that the format does not have, and refuses a file without organizations', async () => {
    const name = fc.stringMatching(/^[a-z]{1,6}$/).map((text) => `x${text}`)
    await fc.assert(
      fc.asyncProperty(name, name, name, async (top, inOrganization, inUser) => {
        const document = {
          [top]: 1,
          orgs: [{ ...organization, [inOrganization]: [1], humanUsers: [{ ...humanUser, [inUser]: 1 }] }],
        }
        const { kinds } = await convert(document)
        expect(Object.keys(kinds).sort()).toEqual(
          [...new Set([`humanUsers: ${inUser}`, `member ${inOrganization}`, `member ${top}`])].sort(),
        )
      }),
    )
    await expect(convert({ users: [] })).rejects.toThrow('zitadel.json holds no organization')
  })
})
