import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const { features: _, ...document } = sampleDocument()
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())
beforeEach(async () => {
  await management.directory.rows('DELETE FROM directory.feature')
  await management.directory.rows('UPDATE directory.setting SET enable_impersonation = false')
})

const FEATURES = '/v2/features/instance'
const SECURITY_PUT = '/v2/policies/security'
const SECURITY_GET = '/v2/settings/security'
const DETAILS = {
  sequence: expect.stringMatching(/^\d+$/),
  changeDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  resourceOwner: 'instance',
}

describe('wire-facts 7: /v2/features/instance', () => {
  it.each(['oidcTokenExchange', 'oidc_token_exchange'])('sets %s, reads and resets it', async (name) => {
    expect((await management.call('GET', FEATURES)).body).toEqual({ details: DETAILS })
    expect((await management.call('GET', `${FEATURES}?inheritance=true`)).body).toEqual({
      details: DETAILS,
      oidcTokenExchange: { enabled: false, source: 'SOURCE_UNSPECIFIED' },
    })
    const put = await management.call('PUT', FEATURES, { [name]: true })
    expect(put).toMatchObject({ status: 200, body: { details: DETAILS } })
    expect(put.headers.get('cache-control')).toBe('no-store')
    for (const query of ['', '?inheritance=true', '?inheritance=false']) {
      expect((await management.call('GET', FEATURES + query)).body).toEqual({
        details: put.body.details,
        oidcTokenExchange: { enabled: true, source: 'SOURCE_INSTANCE' },
      })
    }
    const reset = await management.call('DELETE', FEATURES)
    expect(reset).toMatchObject({ status: 200, body: { details: DETAILS } })
    expect(Number(reset.body.details.sequence)).toBe(Number(put.body.details.sequence) + 1)
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange).toBeUndefined()
  })

  it('leaves alone what is not named, and does not count what changes nothing', async () => {
    const first = await management.call('PUT', FEATURES, { oidcTokenExchange: true })
    const empty = await management.call('PUT', FEATURES, {})
    const again = await management.call('PUT', FEATURES, { oidcTokenExchange: true })
    expect([empty.body, again.body]).toEqual([first.body, first.body])
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange.enabled).toBe(true)
  })

  it('an explicit false is a setting too', async () => {
    await management.call('PUT', FEATURES, { oidcTokenExchange: false })
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange).toEqual({
      enabled: false,
      source: 'SOURCE_INSTANCE',
    })
  })

  it.each([
    ['an unknown feature', { loginDefaultOrg: true }, 'loginDefaultOrg'],
    ['text', { oidcTokenExchange: 'true' }, 'oidcTokenExchange'],
    ['null', { oidcTokenExchange: null }, 'oidcTokenExchange'],
    ['both spellings', { oidcTokenExchange: true, oidc_token_exchange: true }, 'oidcTokenExchange'],
  ])('refuses %s and names it', async (_, body, field) => {
    const answer = await management.call('PUT', FEATURES, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 3, details: [{ field }] } })
    expect(answer.body.message).toContain(field)
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange).toBeUndefined()
  })

  it('refuses another value of inheritance, and other methods', async () => {
    expect(await management.call('GET', `${FEATURES}?inheritance=yes`)).toMatchObject({
      status: 400,
      body: { code: 3, details: [{ field: 'inheritance' }] },
    })
    const posted = await management.call('POST', FEATURES, {})
    expect(posted.status).toBe(405)
    expect(posted.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
  })

  it('a restart does not undo what was reset here', async () => {
    const document = sampleDocument()
    await management.directory.apply(document)
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange.enabled).toBe(true)
    await management.call('DELETE', FEATURES)
    await management.directory.apply(document)
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange).toBeUndefined()
  })
})

describe('wire-facts 7: the security policy, put under policies and read under settings', () => {
  const settings = (enableImpersonation: boolean) => ({
    embeddedIframe: { enabled: false, allowedOrigins: [] },
    enableImpersonation,
  })

  it.each(['enableImpersonation', 'enable_impersonation'])('sets and reads %s', async (name) => {
    expect((await management.call('GET', SECURITY_GET)).body.settings).toEqual(settings(false))
    const put = await management.call('PUT', SECURITY_PUT, { [name]: true })
    expect(put).toMatchObject({ status: 200, body: { details: DETAILS } })
    expect((await management.call('GET', SECURITY_GET)).body).toEqual({
      details: put.body.details,
      settings: settings(true),
    })
  })

  it('a policy is put as a whole: what is left out is false', async () => {
    await management.call('PUT', SECURITY_PUT, { enableImpersonation: true })
    const put = await management.call('PUT', SECURITY_PUT, {
      embedded_iframe: { enabled: false, allowed_origins: [] },
    })
    expect(put.status).toBe(200)
    expect((await management.call('GET', SECURITY_GET)).body.settings).toEqual(settings(false))
  })

  it.each([
    ['frames', { embeddedIframe: { enabled: true } }, 'embeddedIframe.enabled'],
    [
      'origins',
      { embeddedIframe: { allowedOrigins: ['https://a.example'] } },
      'embeddedIframe.allowedOrigins',
    ],
    ['text', { enableImpersonation: 'yes' }, 'enableImpersonation'],
    ['an unknown member', { impersonation: true }, 'impersonation'],
  ])('refuses %s and names it', async (_, body, field) => {
    expect(await management.call('PUT', SECURITY_PUT, body)).toMatchObject({
      status: 400,
      body: { code: 3, details: [{ field }] },
    })
  })

  it('has no reading under policies and no writing under settings', async () => {
    expect((await management.call('GET', SECURITY_PUT)).status).toBe(405)
    expect((await management.call('PUT', SECURITY_GET, {})).status).toBe(405)
  })
})

it.each([
  ['GET', FEATURES],
  ['PUT', FEATURES],
  ['DELETE', FEATURES],
  ['PUT', SECURITY_PUT],
  ['GET', SECURITY_GET],
])('%s %s needs a bearer', async (method, path) => {
  const answer = await management.call(method, path, method === 'PUT' ? {} : undefined, null)
  expect(answer).toMatchObject({ status: 401, body: { code: 16 } })
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
})
