import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createBeginLogout } from '../src/conversation/begin-logout.ts'
import { createHostileEnvironment, type HostileEnvironment } from './fixtures/hostile-environment.ts'
import { ISSUER, PROVIDER } from './fixtures/running-federation.ts'

let on: HostileEnvironment
beforeAll(async () => {
  on = await createHostileEnvironment()
})
beforeEach(async () => {
  await on.renew()
  on.set({ rpInitiatedLogout: true })
})
afterAll(() => on?.stop())

const STATE = 's'.repeat(43)
const begin = (state = STATE) => on.federation.beginLogout('hostile', state)
const discover = (end: unknown) => {
  on.upstream.discovery = { end_session_endpoint: end }
}

it('leads to the endpoint of the discovery document, and keeps its query', async () => {
  discover(`${on.upstream.issuer}/out?tenant=a&state=theirs`)
  const { location, refusal } = await begin()
  expect(refusal).toBeUndefined()
  const url = new URL(location)
  expect(url.origin + url.pathname).toBe(`${on.upstream.issuer}/out`)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ tenant: 'a', client_id: 'signet', state: STATE },
    post_logout_redirect_uri: `${ISSUER}/ui/logout/identity-provider`,
  })
})

it('leads nowhere without the setting, and asks no provider for it', async () => {
  on.set({ rpInitiatedLogout: false })
  const { location, refusal } = await begin()
  expect([location, refusal]).toEqual(['', undefined])
  expect(on.upstream.requests).toEqual([])
})

it.each([
  ['none', undefined],
  ['a script', 'javascript:alert(1)'],
  ['no URL', '/out'],
  ['a number', 7],
  ['a list', ['https://idp.localhost/out']],
  ['a longer one than any', `https://idp.localhost/${'x'.repeat(2_000)}`],
])('refuses an end_session_endpoint that is %s, and signs people in', async (_name, end) => {
  discover(end)
  expect(await begin()).toMatchObject({ location: '', refusal: { rule: 'logout_endpoint_missing' } })
  expect((await on.signIn()).refusal).toBeUndefined()
})

it('refuses a provider that is deactivated, and one that is unknown', async () => {
  discover(`${on.upstream.issuer}/out`)
  on.set({ usable: false })
  expect(await begin()).toMatchObject({ location: '', refusal: { rule: 'provider_not_usable' } })
  const unknown = await on.federation.beginLogout('nobody', STATE)
  expect(unknown).toMatchObject({ location: '', refusal: { rule: 'provider_unknown' } })
})

it.each([['', 'x'.repeat(42), `${'x'.repeat(43)}&a=b`, `${'x'.repeat(42)} `]].flat())(
  'refuses the state %o of a caller',
  async (state) => {
    await expect(begin(state)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  },
)

it('refuses an endpoint without TLS of a provider with TLS', async () => {
  const issuer = 'https://idp.example'
  const begin = createBeginLogout({
    issuer: ISSUER,
    findProvider: async () => ({ ...PROVIDER, id: 'p', type: 'oidc', issuer, rpInitiatedLogout: true }),
    documents: {
      findMetadata: async () => ({
        ...{ issuer, authorization_endpoint: issuer, token_endpoint: issuer, jwks_uri: issuer },
        end_session_endpoint: 'http://idp.example/out',
      }),
    },
    atPlace: (_, run) => run(),
    singleLogout: { begin: async () => undefined },
  })
  const names = { tokenSubject: 'alice', nameIdFormat: '', sessionId: '' }
  await expect(begin({ providerId: 'p', state: STATE, ...names })).rejects.toMatchObject({
    rule: 'endpoint_without_tls',
  })
})
