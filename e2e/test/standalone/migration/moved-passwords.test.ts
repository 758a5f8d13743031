import { FOREIGN_PASSWORD, FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import { HttpBrowser } from '@signet/testing/http-browser'
import { size } from '@signet/testing/sizes'
import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from '../migration-client.ts'

const FORMATS = Object.entries(FOREIGN_PASSWORD_HASHES).map(([format, hash], at) => ({
  format,
  hash,
  userId: `foreign-${at}`,
}))

/** The formats of this run, at equal distances. */
const tried = FORMATS.filter((_, at) => at % Math.ceil(FORMATS.length / size('importedHashes')) === 0)

let target: MigrationClient
beforeAll(async () => {
  target = createMigrationClient(await startSystem(migrationSystem()))
}, 60_000)
afterAll(() => target?.system.stop())

describe('people imported with the hash of another program', () => {
  beforeAll(async () => {
    const { body } = await target.import({
      orgs: [
        {
          orgId: 'foreign',
          org: { name: 'Foreign' },
          humanUsers: FORMATS.map(({ userId, hash }) => ({
            userId,
            user: { userName: userId, hashedPassword: { value: hash } },
          })),
          projects: [{ projectId: 'foreign-project', project: { name: 'Foreign' } }],
          oidcApps: [
            {
              appId: 'foreign-app',
              app: {
                projectId: 'foreign-project',
                name: 'Foreign',
                clientId: 'foreign-app',
                authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
                appType: 'OIDC_APP_TYPE_USER_AGENT',
                redirectUris: [REDIRECT_URI],
                responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
                grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
                pkceOptional: true,
              },
            },
          ],
        },
      ],
    })
    expect(body.errors).toBeUndefined()
  })

  const signsIn = async (loginName: string): Promise<boolean> => {
    const browser = new HttpBrowser(target.system.issuer)
    const request = { client_id: 'foreign-app', redirect_uri: REDIRECT_URI, response_type: 'code' }
    const page = await browser.open(
      `/oauth/v2/authorize?${new URLSearchParams({ ...request, scope: 'openid' })}`,
    )
    const answer = await browser.submit(page, { login_name: loginName, password: FOREIGN_PASSWORD })
    return answer.headers.get('location')?.includes('code=') ?? false
  }
  const storedHash = async (userId: string): Promise<string | undefined> => {
    const text = 'SELECT hash FROM directory.account_password WHERE user_id = $1'
    const { rows } = await target.system.database.query<{ hash: string }>({
      name: '',
      text,
      values: [userId],
    })
    return rows[0]?.hash
  }

  it.each(tried)(
    '$format: signs in, and again with the argon2id hash made of it',
    async ({ userId, hash }) => {
      expect(await storedHash(userId)).toBe(hash)
      expect(await signsIn(userId)).toBe(true)
      expect(await storedHash(userId)).toMatch(/^\$argon2id\$v=19\$m=19456,/)
      expect(await signsIn(userId)).toBe(true)
    },
  )
})
