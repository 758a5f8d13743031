import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from '../migration-client.ts'

let source: MigrationClient
let target: MigrationClient
beforeAll(async () => {
  source = createMigrationClient(await startSystem(migrationSystem()))
  target = createMigrationClient(await startSystem(migrationSystem()))
}, 120_000)
afterAll(async () => {
  await source?.system.stop()
  await target?.system.stop()
})

const organization = (orgId: string, loginTexts: readonly object[]) => ({
  ...{ orgId, org: { name: orgId }, loginTexts },
  projects: [{ projectId: `${orgId}-project`, project: { name: orgId } }],
  oidcApps: [
    {
      appId: `${orgId}-app`,
      app: {
        projectId: `${orgId}-project`,
        name: `App of ${orgId}`,
        clientId: `${orgId}-app`,
        authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
        appType: 'OIDC_APP_TYPE_USER_AGENT',
        redirectUris: [REDIRECT_URI],
        responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
        grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
        pkceOptional: true,
      },
    },
  ],
})

const ONE = [
  {
    language: 'en',
    loginText: { title: 'Welcome to One', description: '<i>Use</i> your badge.' },
    logoutText: { title: 'Bye' },
  },
  { language: 'de', loginText: { title: 'Willkommen bei One' } },
  { language: 'it', loginText: { title: 'Benvenuti' } },
]
const TWO = [{ language: 'en', loginText: { title: 'Two' } }]

/** The card of the sign-in page of an organization. */
async function signInPage({ system }: MigrationClient, orgId: string, language: string): Promise<string> {
  const request = {
    ...{ client_id: 'one-app', redirect_uri: REDIRECT_URI, response_type: 'code', ui_locales: language },
    scope: `openid urn:service:iam:org:id:${orgId}`,
  }
  const opened = await fetch(`${system.base}/oauth/v2/authorize?${new URLSearchParams(request)}`, {
    redirect: 'manual',
  })
  const cookie = opened.headers.getSetCookie().map((one) => one.split(';')[0])
  const page = await fetch(new URL(opened.headers.get('location') ?? '', system.base), {
    headers: { cookie: cookie.join('; ') },
  })
  return /<main>[\s\S]*<\/main>/.exec(await page.text())?.[0] ?? ''
}

async function expectPages(instance: MigrationClient): Promise<void> {
  const english = await signInPage(instance, 'one', 'en')
  expect(english).toContain('<h1>\u2068Welcome to One\u2069</h1>')
  expect(english).toContain('<p id="description">\u2068&lt;i&gt;Use&lt;/i&gt; your badge.\u2069</p>')
  expect(english).toContain('App of one')
  expect(await signInPage(instance, 'one', 'de')).toContain('<h1>\u2068Willkommen bei One\u2069</h1>')
  expect(await signInPage(instance, 'one', 'fr')).toContain('<h1>Connexion</h1>')
  expect(await signInPage(instance, 'two', 'en')).toContain('<h1>\u2068Two\u2069</h1>')
  expect(await signInPage(instance, 'two', 'de')).toContain('<h1>Anmelden</h1>')
}

it('texts of sign-in pages act after an import, and after an import of the export of it', async () => {
  const document = { orgs: [organization('one', ONE), organization('two', TWO)] }
  expect((await source.import(document)).body.errors).toBeUndefined()
  await expectPages(source)
  const exported = await source.export({ excludedOrgIds: ['home'] })
  expect(exported.orgs.map(({ loginTexts }) => loginTexts)).toEqual([
    expect.arrayContaining(ONE),
    expect.arrayContaining(TWO),
  ])
  expect((await target.import(exported)).body.errors).toBeUndefined()
  await expectPages(target)
})

it('the report names the texts that no page shows', async () => {
  const document = { orgs: [organization('three', ONE)] }
  const started = await source.call('POST', '/import', { data_orgs: document }, { Prefer: 'respond-async' })
  const { id } = (await started.json()) as { id: string }
  const job = async () => (await source.call('GET', `/jobs/${id}`)).json()
  await expect.poll(job, { timeout: 20_000 }).toMatchObject({
    state: 'succeeded',
    notes: expect.arrayContaining([
      expect.stringMatching(/^organization three: loginTexts in en not obeyed here: logoutText\.title \(/),
      'organization three: loginTexts in it are not obeyed here: no page has this language',
    ]),
  })
})
