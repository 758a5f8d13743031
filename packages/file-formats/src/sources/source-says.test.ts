import { describe, expect, it } from 'vitest'
import { convertAuth0 } from './auth0.ts'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'
import { convertCsv } from './csv.ts'
import { readCsvMapping } from './csv-mapping.ts'
import { convertKeycloak } from './keycloak.ts'
import { convertZitadel } from './zitadel.ts'

const mapping = (organization: object) =>
  readCsvMapping({ organization, columns: { id: 'userId', mail: 'email' } })
const csv = [sourceFile('id,mail\nu1,zoe@acme.example\n', 'users.csv')]
const person = { user_id: 'auth0|1', email: 'zoe@acme.example' }
const realm = {
  id: 'r1',
  realm: 'acme',
  users: [{ id: 'u1', username: 'zoe' }],
  clients: [{ clientId: 'web' }],
}
const organization = { orgId: 'acme', humanUsers: [{ userId: 'u1', user: {} }] }

describe('a converted document', () => {
  it.each([
    ['CSV', () => convertAll(convertCsv, csv, { mapping: mapping({ id: 'acme' }) }), { orgId: 'acme' }],
    [
      'Auth0',
      () => convertAll(convertAuth0, [sourceFile(person, 'users.json')], { organizationId: 'acme' }),
      { orgId: 'acme' },
    ],
    [
      'Keycloak',
      () => convertAll(convertKeycloak, [sourceFile(realm)], {}),
      { orgId: 'r1', initial: { name: 'acme', allowUsernamePassword: true } },
    ],
    [
      'ZITADEL',
      () => convertAll(convertZitadel, [sourceFile({ orgs: [organization] })], {}),
      { orgId: 'acme' },
    ],
  ])('says nothing about its organization that the source does not say: %s', async (_, convert, header) => {
    const { headers, records, parts } = await convert()
    expect(headers).toEqual([header])
    for (const { project } of records('projects') as readonly { project: object }[])
      expect(project).toEqual({})
    for (const { app } of records('oidcApps') as readonly { app: object }[])
      expect(app).not.toHaveProperty('name')
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it('says of a person only what the row says', async () => {
    const { records } = await convertAll(convertCsv, csv, { mapping: mapping({ id: 'acme' }) })
    expect(records('humanUsers')).toEqual([{ userId: 'u1', user: { email: { email: 'zoe@acme.example' } } }])
  })

  it('has the name that the caller gives', async () => {
    const named = { mapping: mapping({ id: 'acme', name: 'Umbrella' }) }
    expect((await convertAll(convertCsv, csv, named)).headers).toEqual([
      { orgId: 'acme', org: { name: 'Umbrella' } },
    ])
    const { headers } = await convertAll(convertKeycloak, [sourceFile(realm)], {
      organizationName: 'Umbrella',
    })
    expect(headers).toMatchObject([{ org: { name: 'Umbrella' } }])
  })
})
