import { PLACEHOLDER_RULE, SAMPLE_RULE } from '@signet/protocol/placeholder'
import { describe, expect, it } from 'vitest'
import { convertAuth0 } from './auth0.ts'
import { convertAll, sourceFile } from './conversion-fixture.ts'
import { convertCsv } from './csv.ts'
import { readCsvMapping } from './csv-mapping.ts'
import { convertKeycloak } from './keycloak.ts'
import { convertZitadel } from './zitadel.ts'

const PLACEHOLDERS = [
  '$\x7bPORTAL_CLIENT_SECRET_OF_THE_DEPLOYMENT}',
  'x-$(env:PORTAL_CLIENT_SECRET)-x',
  '##CLIENT_SECRET_NAME##',
  '@@CLIENT_SECRET_NAME@@',
  'prefix-{{ client_secret_name }}',
]
const SAMPLES = ['change-me-change-me-change-me', 'changeitchangeitchangeit', 'secretsecretsecretsecret']

const realmOf = (value: string) => ({
  ...{ id: 'r1', realm: 'acme', displayName: value },
  clients: [
    {
      ...{ id: 'c1', clientId: 'web', name: value, secret: value, standardFlowEnabled: true },
      ...{ redirectUris: [`https://${value}/cb`], rootUrl: value },
      attributes: { 'backchannel.logout.url': `https://${value}/logout` },
    },
  ],
  identityProviders: [{ alias: 'idp', providerId: 'oidc', config: { clientId: value, clientSecret: value } }],
  users: [
    {
      ...{ id: 'u1', username: 'ann', enabled: true, email: `${value}@acme.example`, firstName: value },
      attributes: { website: [`https://${value}`], team: [value] },
      credentials: [{ type: 'password', value }],
    },
  ],
})

describe('a placeholder of a deployment', () => {
  it.each(PLACEHOLDERS)('is no value of a realm, and is counted: %s', async (value) => {
    const { parts, kinds, records } = await convertAll(convertKeycloak, [sourceFile(realmOf(value))], {})
    expect(JSON.stringify(parts)).not.toContain(value)
    expect(records('oidcApps')).toMatchObject([{ app: { redirectUris: [] } }])
    expect(JSON.stringify(records('oidcApps'))).not.toContain('clientSecretHash')
    const counted = Object.keys(kinds).filter((kind) => kind.endsWith(PLACEHOLDER_RULE))
    for (const member of [
      'clients[].secret',
      'users[].credentials[].value',
      'users[].email',
      'clients[].redirectUris[]',
    ])
      expect(counted).toContain(`${member}: ${PLACEHOLDER_RULE}`)
  })

  it.each(PLACEHOLDERS)('is no value of Auth0 or of a cell: %s', async (value) => {
    const client = { client_id: 'abc', name: value, client_secret: value, callbacks: [value] }
    const user = {
      user_id: 'auth0|1',
      email: 'ann@acme.example',
      given_name: value,
      user_metadata: { plan: value },
    }
    const files = [sourceFile([client], 'clients.json'), sourceFile([user], 'users.json')]
    const auth0 = await convertAll(convertAuth0, files, { organizationId: 'acme' })
    expect(JSON.stringify(auth0.parts)).not.toContain(value)
    expect(JSON.stringify(auth0.parts)).not.toContain('clientSecretHash')
    expect(auth0.kinds).toHaveProperty([`clients.client_secret: ${PLACEHOLDER_RULE}`], 1)
    const mapping = readCsvMapping({
      organization: { id: 'acme' },
      columns: { id: 'userId', word: 'password', note: 'metadata.note' },
      constants: { locality: value },
    })
    const csv = await convertAll(convertCsv, [sourceFile(`id,word,note\nu1,${value},${value}\n`, 'a.csv')], {
      mapping,
    })
    expect(JSON.stringify(csv.parts)).not.toContain(value)
    expect(csv.kinds).toHaveProperty([`column word: ${PLACEHOLDER_RULE}`], 1)
    expect(csv.kinds).toHaveProperty([`constant locality: ${PLACEHOLDER_RULE}`], 1)
  })

  it.each(PLACEHOLDERS)('is no value of a document of ZITADEL, and is counted: %s', async (value) => {
    const organization = {
      ...{ orgId: 'acme', org: { name: value }, privacyPolicy: { tosLink: `https://${value}/` } },
      humanUsers: [
        { userId: 'ann', user: { user_name: 'ann', profile: { first_name: value }, password: value } },
      ],
      oidcApps: [
        { appId: 'web', app: { projectId: 'p', name: 'Web', redirectUris: [`https://${value}/cb`] } },
      ],
      oidcIdps: [{ idpId: 'corp', idp: { clientSecret: value } }],
    }
    const { parts, records, kinds } = await convertAll(
      convertZitadel,
      [sourceFile({ orgs: [organization] })],
      {},
    )
    expect(JSON.stringify(parts)).not.toContain(value)
    expect(records('humanUsers')).toMatchObject([{ userId: 'ann', user: { user_name: 'ann' } }])
    expect(records('oidcApps')).toMatchObject([{ appId: 'web', app: { name: 'Web', redirectUris: [] } }])
    for (const member of ['user.password', 'user.profile.first_name'])
      expect(kinds).toHaveProperty(
        [`humanUsers, kept without this member: ${member}: is a ${PLACEHOLDER_RULE}`],
        1,
      )
    expect(kinds).toHaveProperty(
      [`organization, kept without this member: org.name: is a ${PLACEHOLDER_RULE}`],
      1,
    )
    await expect(convertAll(convertZitadel, [sourceFile({ orgs: [{ orgId: value }] })], {})).rejects.toThrow(
      /is a placeholder of the deployment: fill it in first$/,
    )
  })

  it.each(PLACEHOLDERS)('refuses the file as client id or realm: %s', async (value) => {
    const sentence = /is a placeholder of the deployment: fill it in first$/
    const clients = [{ clientId: value }]
    await expect(convertAll(convertKeycloak, [sourceFile({ realm: value })], {})).rejects.toThrow(sentence)
    await expect(convertAll(convertKeycloak, [sourceFile({ realm: 'a', clients })], {})).rejects.toThrow(
      sentence,
    )
    const file = sourceFile([{ client_id: value }], 'clients.json')
    await expect(convertAll(convertAuth0, [file], { organizationId: 'acme' })).rejects.toThrow(sentence)
  })

  it.each(SAMPLES)('is no secret or password if it is a known sample: %s', async (value) => {
    const { kinds, parts } = await convertAll(convertKeycloak, [sourceFile(realmOf(value))], {})
    expect(kinds).toMatchObject({
      [`clients[].secret: ${SAMPLE_RULE}`]: 1,
      [`users[].credentials[].value: ${SAMPLE_RULE}`]: 1,
    })
    expect(JSON.stringify(parts)).not.toContain('clientSecretHash')
  })
})
