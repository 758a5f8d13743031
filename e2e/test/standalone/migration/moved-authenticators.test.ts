import { HttpBrowser } from '@signet/testing/http-browser'
import { shownCode } from '@signet/testing/shown-code'
import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from '../migration-client.ts'

const PASSWORD = 'Old-password-7'
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const OTHER_SEED = 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U'
const DEVICES = [
  { name: 'phone', secret: OTHER_SEED, algorithm: 'SHA256', digits: 8, period: 60 },
  { name: 'token', secret: OTHER_SEED, algorithm: 'SHA512', digits: 7, period: 30 },
]
const PEOPLE = [
  { userId: 'one', user: { userName: 'one', password: PASSWORD, totpDevices: [DEVICES[0]] } },
  { userId: 'two', user: { userName: 'two', password: PASSWORD, otpCode: SEED, totpDevices: DEVICES } },
  { userId: 'three', user: { userName: 'three', password: PASSWORD, totpDevices: [{ secret: SEED }] } },
]

let target: MigrationClient
beforeAll(async () => {
  target = createMigrationClient(await startSystem(migrationSystem()))
  const { body } = await target.import({
    orgs: [
      {
        orgId: 'moved',
        org: { name: 'Moved' },
        humanUsers: PEOPLE,
        projects: [{ projectId: 'moved', project: { name: 'Moved' } }],
        oidcApps: [
          {
            appId: 'moved-app',
            app: {
              projectId: 'moved',
              name: 'Moved',
              clientId: 'moved-app',
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
}, 60_000)
afterAll(() => target?.system.stop())

async function signsIn(loginName: string, code: string): Promise<boolean> {
  const browser = new HttpBrowser(target.system.issuer)
  const query = { client_id: 'moved-app', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
  const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(query)}`)
  const asked = await browser.submit(page, { login_name: loginName, password: PASSWORD })
  expect(asked.body).toContain('id="totp-code"')
  const answer = await browser.submit(asked, { code })
  return answer.headers.get('location')?.includes('code=') ?? false
}

const [phone, token] = DEVICES

it.each([
  ['one', 'the device with SHA-256, 8 digits and 60 seconds', () => shownCode(OTHER_SEED, phone)],
  ['two', 'a device beside another one', () => shownCode(OTHER_SEED, token)],
  ['three', 'a device without parameters', () => shownCode(SEED)],
])('%s signs in with the code of %s, once', async (loginName, _, code) => {
  expect(await signsIn(loginName, '000000')).toBe(false)
  const shown = code()
  expect(await signsIn(loginName, shown)).toBe(true)
  expect(await signsIn(loginName, shown)).toBe(false)
})

it('exports each device as it was imported, the first without parameters as otpCode', async () => {
  const { orgs } = await target.export({ org_ids: ['moved'] })
  const people = orgs[0]?.humanUsers as readonly { userId: string; user: Record<string, unknown> }[]
  const devicesOf = Object.fromEntries(
    people.map(({ userId, user: { otpCode, totpDevices } }) => [userId, { otpCode, totpDevices }]),
  )
  expect(devicesOf).toEqual({
    one: { totpDevices: [DEVICES[0]] },
    two: { otpCode: SEED, totpDevices: DEVICES },
    three: { otpCode: SEED },
  })
})

it('refuses a device with parameters that Signet does not verify, naming the member', async () => {
  for (const [device, member] of [
    [{ secret: SEED, digits: 9 }, 'digits'],
    [{ secret: SEED, period: 3_600 }, 'period'],
    [{ secret: SEED, algorithm: 'MD5' }, 'algorithm'],
    [{ algorithm: 'SHA1' }, 'secret'],
  ] as const) {
    const humanUsers = [{ userId: 'four', user: { userName: 'four', totpDevices: [device] } }]
    const { status, body } = await target.import({
      orgs: [{ orgId: 'moved', org: { name: 'Moved' }, humanUsers }],
    })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(`user.totpDevices[0].${member}`)
  }
})
