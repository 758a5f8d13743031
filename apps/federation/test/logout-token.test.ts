import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHostileEnvironment, type HostileEnvironment } from './fixtures/hostile-environment.ts'
import { createSigningKey, signed } from './fixtures/hostile-provider.ts'

let on: HostileEnvironment
beforeAll(async () => {
  on = await createHostileEnvironment()
})
beforeEach(async () => {
  await on.renew()
  on.set({ backchannelLogout: true })
})
afterAll(() => on?.stop())

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const seconds = () => Math.floor(on.clock.now().getTime() / 1_000)

const claimsOf = (changes: Readonly<Record<string, unknown>> = {}) => ({
  ...{ iss: on.upstream.issuer, aud: 'signet', sub: 'alice', sid: 's1', jti: 'j1' },
  ...{ iat: seconds(), exp: seconds() + 120, events: { [EVENT]: {} } },
  ...changes,
})

const read = async (changes = {}, key = on.upstream.key, header = {}) =>
  on.federation.readLogoutToken('hostile', await signed(claimsOf(changes), key, header))

it.each([{ typ: 'logout+jwt' }, { typ: 'JWT' }, {}])(
  'reads a logout token with the header %o',
  async (header) => {
    const { logout, refusal } = await read({}, on.upstream.key, header)
    expect(refusal).toBeUndefined()
    expect(logout).toMatchObject({
      ...{ issuer: on.upstream.issuer, subject: 'alice', sessionId: 's1', tokenId: 'j1' },
      issuedAt: { seconds: BigInt(seconds()) },
    })
  },
)

it('reads a token that names the subject alone, or the session alone', async () => {
  expect((await read({ sid: undefined })).logout).toMatchObject({ subject: 'alice', sessionId: '' })
  expect((await read({ sub: undefined })).logout).toMatchObject({ subject: '', sessionId: 's1' })
})

describe('hostile logout tokens (OpenID Connect Back-Channel Logout 1.0 section 2.6)', () => {
  it.each<[string, string, () => Readonly<Record<string, unknown>>]>([
    ['another issuer', 'issuer_differs', () => ({ iss: 'https://other.example' })],
    ['another audience', 'audience_differs', () => ({ aud: 'another' })],
    ['no audience', 'claim_missing', () => ({ aud: undefined })],
    ['no time', 'claim_missing', () => ({ iat: undefined })],
    [
      'a time in the future',
      'logout_token_malformed',
      () => ({ iat: seconds() + 120, exp: seconds() + 200 }),
    ],
    ['no end', 'claim_missing', () => ({ exp: undefined })],
    ['an end in the past', 'logout_token_expired', () => ({ iat: seconds() - 100, exp: seconds() - 31 })],
    ['an end in a day', 'logout_token_malformed', () => ({ exp: seconds() + 86_400 })],
    ['no id', 'claim_missing', () => ({ jti: undefined })],
    ['an empty id', 'logout_token_malformed', () => ({ jti: '' })],
    ['an id that is a number', 'logout_token_malformed', () => ({ jti: 7 })],
    ['a nonce', 'logout_token_malformed', () => ({ nonce: 'n' })],
    ['an empty nonce', 'logout_token_malformed', () => ({ nonce: null })],
    ['no events', 'claim_missing', () => ({ events: undefined })],
    ['events without the one', 'logout_event_missing', () => ({ events: {} })],
    ['the event as a text', 'logout_event_missing', () => ({ events: { [EVENT]: 'yes' } })],
    ['events as a list', 'logout_event_missing', () => ({ events: [EVENT] })],
    ['neither subject nor session', 'claim_missing', () => ({ sub: undefined, sid: undefined })],
    ['an empty subject', 'logout_token_malformed', () => ({ sub: '' })],
    ['a subject that is a list', 'logout_token_malformed', () => ({ sub: ['alice'] })],
    ['a session that is an object', 'logout_token_malformed', () => ({ sid: {} })],
  ])('%s is refused as %s', async (_, rule, claims) => {
    const { logout, refusal } = await read(claims())
    expect(logout).toBeUndefined()
    expect(refusal).toMatchObject({ rule, temporary: false })
  })

  it('refuses an ID token, an access token, a text, and a signature of another key', async () => {
    const idToken = { ...claimsOf(), events: undefined, nonce: 'n', jti: undefined }
    const asText = await signed(idToken, on.upstream.key)
    expect((await on.federation.readLogoutToken('hostile', asText)).refusal?.rule).toBe('claim_missing')
    expect((await read({}, on.upstream.key, { typ: 'at+jwt' })).refusal?.rule).toBe('logout_token_malformed')
    expect((await on.federation.readLogoutToken('hostile', 'no token')).refusal?.rule).toBe(
      'logout_token_malformed',
    )
    const long = await on.federation.readLogoutToken('hostile', 'x'.repeat(20_000))
    expect(long.refusal?.rule).toBe('logout_token_malformed')
    const other = await createSigningKey('first')
    expect((await read({}, other)).refusal?.rule).toBe('signature_invalid')
    expect((await read({}, await createSigningKey('unknown'))).refusal?.rule).toBe('key_unknown')
  })

  it('refuses a token without a signature', async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${encode({ alg: 'none', typ: 'logout+jwt' })}.${encode(claimsOf())}.`
    expect((await on.federation.readLogoutToken('hostile', token)).refusal).toMatchObject({
      rule: expect.stringMatching(/^(algorithm_refused|logout_token_malformed)$/),
    })
  })

  it('refuses every token of a provider that may send none, is deactivated or unknown', async () => {
    on.set({})
    expect((await read()).refusal?.rule).toBe('logout_not_enabled')
    on.set({ backchannelLogout: true, usable: false })
    expect((await read()).refusal?.rule).toBe('provider_not_usable')
    const token = await signed(claimsOf(), on.upstream.key)
    expect((await on.federation.readLogoutToken('unknown', token)).refusal?.rule).toBe('provider_unknown')
  })
})

it('an assertion has the names by which the provider ends the sign-in', async () => {
  on.set({ subjectClaim: 'oid' })
  on.upstream.claims = { sid: 's1', oid: 'stable' }
  expect((await on.signIn()).assertion).toMatchObject({
    ...{ subject: 'stable', tokenSubject: 'alice', sessionId: 's1' },
  })
})
