import { shownCode } from '@signet/testing/shown-code'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigrationClient,
  type ExportedDocument,
  type MigrationClient,
  migrationSystem,
  withoutMarks,
} from '../migration-client.ts'
import { basic, connectProvider, type Provider } from '../provider.ts'
import { KEY, providerDirectory, TOTP_SECRET } from '../provider-directory.ts'

let source: MigrationClient
let target: MigrationClient
beforeAll(async () => {
  const { organizations: [acme, ...others] = [] } = providerDirectory()
  const profile = { givenName: 'Given', familyName: 'Family' }
  const states = ['inactive', 'locked'] as const
  const absent = states.map((state) => ({ id: state, userName: state, profile, password: PASSWORD, state }))
  const moved = acme === undefined ? [] : [{ ...acme, users: [...(acme.users ?? []), ...absent] }]
  const systems = await Promise.all([
    startSystem(migrationSystem({ organizations: [...moved, ...others] })),
    startSystem(migrationSystem()),
  ])
  ;[source, target] = [createMigrationClient(systems[0]), createMigrationClient(systems[1])]
}, 60_000)
afterAll(() => Promise.all([source?.system.stop(), target?.system.stop()]))

describe('an organization moved from Signet to Signet', () => {
  let document: ExportedDocument
  let moved: Provider

  beforeAll(async () => {
    const change = await source.manage('PATCH', '/applications/machine', { state: 'inactive' })
    expect(change.status).toBe(200)
    document = await source.export({ org_ids: ['acme'] })
    expect(document.orgs.flatMap((organization) => Object.keys(organization))).not.toContain('machineKeys')
    const { status, body } = await target.import(withKeys(document))
    expect([status, body.errors]).toEqual([200, undefined])
    moved = await connectProvider(target.system)
  })

  it.each(['web', 'post', 'keyed', 'spa', 'jwt'])(
    'people sign in with their old password at %s, which proves itself as before',
    async (clientId) => {
      const { claims, tokens } = await moved.signIn({ clientId, scope: 'openid profile offline_access' })
      expect(claims).toMatchObject({ sub: 'alice', iss: target.system.issuer })
      expect(await moved.introspect(tokens.access_token)).toMatchObject({ active: true, sub: 'alice' })
    },
  )

  it('a second factor asks for the code of the app that was enrolled before', async () => {
    const browser = moved.system.newBrowser()
    const asked = await browser.submit(await moved.open(browser), { login_name: 'bob', password: PASSWORD })
    expect(asked.body).toContain('id="totp-code"')
    const refused = await browser.submit(asked, { code: '000000' })
    expect(refused.status).toBe(400)
    const answer = await browser.submit(refused, { code: shownCode(TOTP_SECRET) })
    expect(answer.headers.get('location')).toContain('code=')
  })

  it('a service user takes tokens with its old secret and its old key', async () => {
    const bySecret = { grant_type: 'client_credentials', scope: 'openid' }
    expect(await moved.post('/oauth/v2/token', bySecret, basic('robot'))).toMatchObject({ status: 200 })
    const assertion = await moved.assertion({ iss: 'robot', sub: 'robot', aud: target.system.issuer })
    const byKey = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', scope: 'openid' }
    const answer = await moved.post('/oauth/v2/token', {
      ...byKey,
      assertion: assertion.client_assertion ?? '',
    })
    expect(answer).toMatchObject({ status: 200 })
  })

  it.each(['inactive', 'locked'])('refuses a user who was %s', async (loginName) => {
    const browser = moved.system.newBrowser()
    const page = await browser.submit(await moved.open(browser), {
      login_name: loginName,
      password: PASSWORD,
    })
    expect(page.headers.get('location')).toBeNull()
    expect(JSON.stringify(document.orgs)).toContain(`USER_STATE_${loginName.toUpperCase()}`)
  })

  it('an application that was not active is refused still', async () => {
    const grant = { grant_type: 'client_credentials', scope: 'openid' }
    const answer = await moved.post('/oauth/v2/token', grant, basic('machine'))
    expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
  })

  it('a second export is equal, ids, states, times and hashes included', async () => {
    expect((await target.export({ org_ids: ['acme'] })).orgs).toEqual(document.orgs.map(withoutMarks))
  })
})

/** Adds the public keys that Signet leaves out of its own documents and reads from those of others. */
function withKeys({ orgs, meta: _, ...rest }: ExportedDocument): object {
  const pem = KEY.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const publicKey = Buffer.from(pem).toString('base64')
  const machineKeys = [{ keyId: 'k1', userId: 'robot', publicKey }]
  const appKeys = [{ id: 'k1', appId: 'keyed', publicKey }]
  return { ...rest, orgs: orgs.map((organization) => ({ ...organization, machineKeys, appKeys })) }
}
