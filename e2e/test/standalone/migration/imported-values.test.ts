import { convertAll, documentOf, sourceFile } from '@signet/file-formats/sources/conversion-fixture'
import { convertKeycloak } from '@signet/file-formats/sources/keycloak'
import { FOREIGN_PASSWORD, FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import { HttpBrowser } from '@signet/testing/http-browser'
import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from '../migration-client.ts'

const [HASH = ''] = Object.values(FOREIGN_PASSWORD_HASHES)
const SCOPE = 'openid profile email phone address'

let target: MigrationClient
beforeAll(async () => {
  target = createMigrationClient(await startSystem(migrationSystem()))
}, 60_000)
afterAll(() => target?.system.stop())

const application = (organization: string) => ({
  projects: [{ projectId: organization, project: { name: 'Portal' } }],
  oidcApps: [
    {
      appId: `${organization}-web`,
      app: {
        projectId: organization,
        name: 'Portal',
        clientId: `${organization}-web`,
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

/** The claims of userinfo for a person who signs in at the application of the organization. */
async function claimsOf(organization: string, loginName: string): Promise<Record<string, unknown>> {
  const { base, issuer } = target.system
  const browser = new HttpBrowser(issuer)
  const client = { client_id: `${organization}-web`, redirect_uri: REDIRECT_URI }
  const query = new URLSearchParams({ ...client, response_type: 'code', scope: SCOPE })
  const page = await browser.open(`/oauth/v2/authorize?${query}`)
  const consent = await browser.submit(page, { login_name: loginName, password: FOREIGN_PASSWORD })
  const answer = consent.status === 200 ? await browser.submit(consent, { decision: 'allow' }) : consent
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const token = await fetch(`${base}/oauth/v2/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, grant_type: 'authorization_code', code }),
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  return (await (await fetch(`${base}/oidc/v1/userinfo`, { headers })).json()) as Record<string, unknown>
}

/** Refused values by member, with the name of the member in the management API, and the claim. */
const REFUSED = [
  ['picture', 'javascript:alert(1)', 'picture', 'picture'],
  ['profileUrl', 'data:text/html,x', 'profileUrl', 'profile'],
  ['website', 'java\nscript:alert(1)', 'website', 'website'],
  ['birthdate', '2023-02-30', 'birthdate', 'birthdate'],
  ['zoneinfo', 'Mars/Phobos', 'zoneinfo', 'zoneinfo'],
  ['preferredLanguage', 'pt_BR', 'preferredLanguage', 'locale'],
  ['lastName', 'Love\u202elace', 'familyName', 'family_name'],
  ['nickName', '$\x7bNICK}', 'nickName', 'nickname'],
] as const

const person = (userId: string, profile: object, more: object = {}) => ({
  userId,
  user: { userName: userId, profile, hashedPassword: { value: HASH }, ...more },
})

describe('a person of an import', () => {
  const refused = Object.fromEntries(REFUSED.map(([member, value]) => [member, value]))
  const document = {
    orgs: [
      {
        orgId: 'native',
        ...application('native'),
        humanUsers: [
          person(
            'ada',
            { firstName: 'Ada', ...refused },
            {
              email: { email: 'x@.corp.example', isEmailVerified: true },
              phone: { phone: '079 123', isPhoneVerified: true },
              address: { streetAddress: 'Main Street 1\nZurich', country: 'C\u0007H' },
            },
          ),
        ],
      },
    ],
  }
  const errors = [
    ...REFUSED.map(([member]) => `user.profile.${member} is left out: `),
    ...[
      'user.email.email is left out: ',
      'user.phone.phone is left out: ',
      'user.address.country is left out: ',
    ],
  ].map((text) => ({ type: 'human_user', id: 'ada', message: expect.stringContaining(text) }))

  it('is kept without the values that no way in accepts, each named, dry or not', async () => {
    for (const dryRun of [true, false]) {
      const { status, body } = await target.import(document, { dryRun })
      expect(status).toBe(200)
      expect(body.errors).toHaveLength(errors.length)
      expect(body.errors).toEqual(expect.arrayContaining(errors))
    }
    const claims = await claimsOf('native', 'ada')
    expect(claims).toMatchObject({
      given_name: 'Ada',
      name: 'Ada',
      address: { street_address: 'Main Street 1\nZurich' },
    })
    for (const claim of [...REFUSED.map(([, , , name]) => name), 'email', 'phone_number'])
      expect(claims).not.toHaveProperty(claim)
    expect(claims.address).not.toHaveProperty('country')
  })

  it.each(REFUSED)('has what the API and a file refuse, too: %s %s', async (_, value, member) => {
    const profile = { [member]: value }
    expect((await target.manage('PATCH', '/users/ada', { profile })).status).toBe(400)
    const users = [
      { id: 'new', userName: 'new', profile: { givenName: 'New', familyName: 'New', ...profile } },
    ]
    expect((await target.manage('POST', '/apply', { organizations: [{ id: 'native', users }] })).status).toBe(
      400,
    )
  })

  it.each(['picture', 'website', 'profile_url'])(
    'has no claim of a link that was stored before the rule: %s',
    async (column) => {
      const stored = `UPDATE directory.account SET ${column} = 'javascript:alert(1)', nickname = $1, updated_at = now() WHERE user_id = 'ada'`
      await target.system.database.query({ name: '', text: stored, values: [column] })
      await expect.poll(async () => (await claimsOf('native', 'ada')).nickname).toBe(column)
      expect(await claimsOf('native', 'ada')).not.toHaveProperty(column.replace('_url', ''))
    },
  )

  it('of Keycloak has a language tag in place of the locale, and no bad value', async () => {
    const realm = {
      realm: 'keycloak',
      users: [
        {
          ...{ id: 'kim', username: 'kim', enabled: true, firstName: 'Kim' },
          attributes: { website: ['javascript:alert(1)'], birthdate: ['01.02.1990'], locale: ['pt_BR'] },
        },
      ],
    }
    const { parts, kinds } = await convertAll(convertKeycloak, [sourceFile(realm)], {})
    expect(kinds).toMatchObject({
      'humanUsers, kept without this member: user.profile.website: must be an http or https URL': 1,
      'humanUsers, kept without this member: user.profile.birthdate: must be YYYY-MM-DD or YYYY, in quotes': 1,
    })
    const { orgs } = JSON.parse(documentOf(parts)) as { orgs: Record<string, unknown>[] }
    const [converted] = orgs as [{ orgId: string; humanUsers: { user: object }[] }]
    const [kim] = converted.humanUsers
    const signingIn = { ...kim, user: { ...kim?.user, hashedPassword: { value: HASH } } }
    const { orgId } = converted
    const { body } = await target.import({
      orgs: [{ ...converted, ...application(orgId), humanUsers: [signingIn] }],
    })
    expect(body.errors).toBeUndefined()
    const claims = await claimsOf(orgId, 'kim')
    expect(claims).toMatchObject({ given_name: 'Kim', locale: 'pt-BR' })
    expect(claims).not.toHaveProperty('website')
    expect(claims).not.toHaveProperty('birthdate')
  })
})

describe('a placeholder or a known sample in a document of Signet', () => {
  it.each(['$\x7bADMIN_PASSWORD}', 'a-$(env:ADMIN_PASSWORD)-9', 'change-me-change-me', '**********'])(
    'is no password, and is named: %s',
    async (password) => {
      const userId = `with-${Buffer.from(password).toString('hex')}`
      const document = {
        orgs: [{ orgId: 'secrets', humanUsers: [{ userId, user: { userName: userId, password } }] }],
      }
      for (const more of [{ dryRun: true }, {}]) {
        const { body } = await target.import(document, { onConflict: 'update', ...more })
        expect(body.errors).toEqual([
          {
            type: 'human_user',
            id: userId,
            message: expect.stringMatching(/^user\.password is left out: is a (placeholder|known sample)/),
          },
        ])
      }
      const text =
        'SELECT (SELECT count(*) FROM directory.account_password p WHERE p.user_id = u.user_id)::int AS passwords FROM directory.account u WHERE user_id = $1'
      expect((await target.system.database.query({ name: '', text, values: [userId] })).rows).toEqual([
        { passwords: 0 },
      ])
    },
  )

  it('is no value of any member, and texts keep their variables', async () => {
    const value = '$\x7bVALUE}'
    const document = {
      orgs: [
        {
          ...{ orgId: 'unfilled', org: { name: value }, ...application('unfilled') },
          privacyPolicy: { tosLink: 'https://a.example/{{.Lang}}/terms', helpLink: `https://${value}/` },
          humanUsers: [{ userId: 'una', user: { userName: 'una', profile: { displayName: value } } }],
          userMetadata: [
            { id: 'una', key: 'team', value: Buffer.from(value).toString('base64') },
            { id: 'una', key: 'plan', value: Buffer.from('gold').toString('base64') },
          ],
          oidcIdps: [{ idpId: 'corp', idp: { name: 'Corp', clientSecret: value } }],
          actions: [{ actionId: 'script', script: `log(\`${value}\`)` }],
          passwordResetMessages: [
            { language: 'en', title: 'Reset', text: 'Hello {{.FirstName}}', subject: value },
          ],
        },
      ],
    }
    const { body } = await target.import(document)
    const rule = 'is a placeholder of the deployment: fill it in first'
    expect(body.errors?.map(({ type, id, message }) => `${type} ${id}: ${message}`).sort()).toEqual([
      `human_user una: user.profile.displayName is left out: ${rule}`,
      `oidc_idp corp: idp.clientSecret is left out: ${rule}`,
      `org unfilled: org.name is left out: ${rule}`,
      `org unfilled: privacyPolicy.helpLink is left out: ${rule}`,
      `password_reset_message unfilled_en: subject is left out: ${rule}`,
      `user_metadata una_team: value: ${rule}`,
    ])
    const { orgs } = await target.export({ orgIds: ['unfilled'] })
    const { actions, ...rest } = orgs[0] as Record<string, unknown>
    expect(JSON.stringify(rest)).not.toContain(value)
    expect(actions).toEqual(document.orgs[0]?.actions)
    expect(rest).toMatchObject({
      privacyPolicy: { tosLink: 'https://a.example/{{.Lang}}/terms' },
      userMetadata: [{ key: 'plan' }],
      passwordResetMessages: [{ text: 'Hello {{.FirstName}}' }],
    })
  })
})

describe('an application of an import that runs in the browser', () => {
  const inBrowser = (id: string, authMethodType?: string) => ({
    appId: id,
    app: {
      ...{ projectId: 'browser', name: id, clientId: id, appType: 'OIDC_APP_TYPE_USER_AGENT' },
      ...{ redirectUris: [REDIRECT_URI], responseTypes: ['OIDC_RESPONSE_TYPE_CODE'] },
      ...(authMethodType !== undefined && { authMethodType }),
    },
  })

  it('with a secret gets the method none, and is named', async () => {
    const oidcApps = [
      inBrowser('browser-basic', 'OIDC_AUTH_METHOD_TYPE_BASIC'),
      inBrowser('browser-post', 'OIDC_AUTH_METHOD_TYPE_POST'),
      // The format leaves its first method out, which is a secret.
      inBrowser('browser-unsaid'),
      inBrowser('browser-none', 'OIDC_AUTH_METHOD_TYPE_NONE'),
    ]
    const projects = [{ projectId: 'browser', project: { name: 'Browser' } }]
    const { status, body } = await target.import({ orgs: [{ orgId: 'browser', projects, oidcApps }] })
    expect(status).toBe(200)
    const message = expect.stringMatching(/^app\.authMethodType is left out: .*runs in the browser/)
    expect(body.errors).toEqual(
      ['browser-basic', 'browser-post'].map((id) => ({ type: 'oidc_app', id, message })),
    )
    for (const { appId } of oidcApps) {
      const shown = await target.manage('GET', `/applications/${appId}`)
      expect(await shown.json()).toMatchObject({ authMethod: 'none' })
    }
  })
})
