import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { type Answer, tokensOf } from '@signet/testing/system/test-system'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let system: InProcessSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
}, 60_000)
afterAll(() => system?.stop())

function expectRefused(answer: Answer, error: string): void {
  expect(answer.json).toEqual({ error, error_description: expect.any(String) })
  expect(answer.status).toBe(400)
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

describe('RFC 6749 section 6: a refresh', () => {
  it.each(['web', 'post', 'spa', 'keyed'])(
    'refresh_token: %s gets exactly these members',
    async (clientId) => {
      const { refresh_token } = await system.tokens({ clientId, scope: 'openid email offline_access' })
      const answer = await system.refresh(clientId, refresh_token)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.json).toEqual({
        access_token: expect.stringMatching(/^sgat_/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'openid email offline_access',
        id_token: expect.any(String),
        refresh_token: expect.stringMatching(/^sgrt_/),
      })
      expect(answer.json.refresh_token).not.toBe(refresh_token)
    },
  )

  it('the ID token keeps subject and auth_time, has no nonce and belongs to the new access token (OIDC Core section 12.2)', async () => {
    const first = await system.tokens({ parameters: { nonce: 'once' } })
    const second = tokensOf(await system.refresh('web', first.refresh_token))
    const [before, after] = [decodeJwt(first.id_token), decodeJwt(second.id_token)]
    for (const claim of ['iss', 'sub', 'aud', 'azp', 'auth_time', 'sid', 'amr']) {
      expect(after[claim], claim).toEqual(before[claim])
    }
    expect(before.nonce).toBe('once')
    expect(after).not.toHaveProperty('nonce')
    expect(after.at_hash).not.toBe(before.at_hash)
  })

  it('both access tokens are active, each to its own expiry', async () => {
    const first = await system.tokens()
    const second = tokensOf(await system.refresh('web', first.refresh_token))
    expect(second.access_token).not.toBe(first.access_token)
    expect(await system.isActive(first.access_token)).toBe(true)
    expect(await system.isActive(second.access_token)).toBe(true)
  })
})

describe('RFC 6749 section 6: scope', () => {
  const scope = 'openid profile email offline_access'

  it('fewer scopes are granted, and the next refresh without scope has all again [F-21]', async () => {
    const first = await system.tokens({ scope })
    const narrowed = await system.refresh('web', first.refresh_token, { scope: 'email openid' })
    expect(narrowed.json.scope).toBe('email openid')
    const { access_token, refresh_token } = tokensOf(narrowed)
    const introspected = (await system.introspect(access_token)).json
    expect(introspected).toMatchObject({ scope: 'email openid', email: 'alice@acme.localhost' })
    expect(introspected).not.toHaveProperty('name')
    expect((await system.refresh('web', refresh_token)).json.scope).toBe(scope)
  })

  it('narrowed without openid there is no ID token', async () => {
    const { refresh_token } = await system.tokens({ scope })
    const answer = await system.refresh('web', refresh_token, { scope: 'email' })
    expect(answer.status).toBe(200)
    expect(answer.json).not.toHaveProperty('id_token')
  })

  it.each([
    ['one that was not granted', 'openid phone'],
    ['an unknown one', 'openid telepathy'],
    ['only an unknown one', 'telepathy'],
    ['a malformed one', 'openid "quoted"'],
    ['nothing but spaces', '  '],
  ])('%s is invalid_scope and leaves the family where it was [F-21]', async (_, wrong) => {
    const { refresh_token } = await system.tokens({ scope })
    expectRefused(await system.refresh('web', refresh_token, { scope: wrong }), 'invalid_scope')
    const next = tokensOf(await system.refresh('web', refresh_token))
    expect(next.refresh_token).not.toBe(refresh_token)
  })
})

describe('the owner of a refresh token (RFC 6749 section 10.4)', () => {
  it.each(['post', 'spa', 'keyed'])(
    'of web, presented by %s: invalid_grant, and it still works for web',
    async (thief) => {
      const { refresh_token, access_token } = await system.tokens()
      expectRefused(await system.refresh(thief, refresh_token), 'invalid_grant')
      expectRefused(await system.refresh(thief, refresh_token, { scope: 'openid' }), 'invalid_grant')
      expect(await system.isActive(access_token)).toBe(true)
      expect((await system.refresh('web', refresh_token)).status).toBe(200)
    },
  )

  it('an old token presented by another client revokes nothing', async () => {
    const first = await system.tokens()
    const second = tokensOf(await system.refresh('web', first.refresh_token))
    const third = tokensOf(await system.refresh('web', second.refresh_token))
    expectRefused(await system.refresh('spa', first.refresh_token), 'invalid_grant')
    expect((await system.refresh('web', third.refresh_token)).status).toBe(200)
  })

  it.each([
    ['counter', (token: string) => token.replace(/\.0\./, '.1.')],
    ['MAC', (token: string) => `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`],
    ['key', (token: string) => token.replace(/^sgrt_[^.]+/, 'sgrt_other')],
  ])('with another %s it is refused', async (_, change) => {
    const { refresh_token } = await system.tokens()
    expect(change(refresh_token)).not.toBe(refresh_token)
    expectRefused(await system.refresh('web', change(refresh_token)), 'invalid_grant')
    expect((await system.refresh('web', refresh_token)).status).toBe(200)
  })
})

describe('RFC 9700 section 4.14: rotation', () => {
  it('repeating a lost call returns the same successor byte for byte, with a fresh access token [F-19]', async () => {
    const first = await system.tokens()
    const lost = tokensOf(await system.refresh('web', first.refresh_token))
    const repeated = tokensOf(await system.refresh('web', first.refresh_token))
    expect(repeated.refresh_token).toBe(lost.refresh_token)
    expect(repeated.access_token).not.toBe(lost.access_token)
    expect(await system.isActive(lost.access_token)).toBe(true)
    const next = tokensOf(await system.refresh('web', repeated.refresh_token))
    expect(next.refresh_token).not.toBe(repeated.refresh_token)
  })

  it('an older token is reuse and kills the family with everything it made [F-18]', async () => {
    const first = await system.tokens()
    const second = tokensOf(await system.refresh('web', first.refresh_token))
    const third = tokensOf(await system.refresh('web', second.refresh_token))
    expectRefused(await system.refresh('web', first.refresh_token), 'invalid_grant')
    for (const { access_token, refresh_token } of [first, second, third]) {
      expect((await system.introspect(access_token)).json).toEqual({ active: false })
      expectRefused(await system.refresh('web', refresh_token), 'invalid_grant')
    }
  })

  it('reuse in one family leaves the other families of the session alone [F-18]', async () => {
    const browser = system.newBrowser()
    const other = await system.tokens({ browser })
    const first = await system.tokens({ browser })
    const second = tokensOf(await system.refresh('web', first.refresh_token))
    await system.refresh('web', second.refresh_token)
    await system.refresh('web', first.refresh_token)
    expect(await system.isActive(other.access_token)).toBe(true)
    expect((await system.refresh('web', other.refresh_token)).status).toBe(200)
  })
})

describe('a predecessor whose successor was never used', () => {
  /** Tokens of a family that was rotated so many seconds ago, by the clock of PostgreSQL. */
  async function rotated(clientId: string, seconds: number) {
    const first = await system.tokens({ clientId })
    const lost = tokensOf(await system.refresh(clientId, first.refresh_token))
    await system.database.query({
      name: '',
      text: `UPDATE grants.authorization_grant SET rotated_at = rotated_at - make_interval(secs => $2) WHERE grant_id = $1`,
      values: [first.refresh_token.split('.')[1], seconds],
    })
    return { first, lost }
  }

  it.each([
    ['spa', 590, 'public'],
    ['web', 25, 'confidential'],
  ])(
    '%s gets the same successor %i seconds later from each of 50 calls at once: %s',
    async (clientId, seconds) => {
      const { first, lost } = await rotated(clientId, seconds)
      const calls = Array.from({ length: 50 }, () => system.refresh(clientId, first.refresh_token))
      const answers = (await Promise.all(calls)).map((answer) => tokensOf(answer))
      expect(new Set(answers.map(({ refresh_token }) => refresh_token))).toEqual(
        new Set([lost.refresh_token]),
      )
      expect((await system.refresh(clientId, lost.refresh_token)).status).toBe(200)
    },
  )

  it.each([
    ['spa', 601, 'public'],
    ['web', 31, 'confidential'],
  ])('%s ends its family when it presents it %i seconds later: %s', async (clientId, seconds) => {
    const { first, lost } = await rotated(clientId, seconds)
    expectRefused(await system.refresh(clientId, first.refresh_token), 'invalid_grant')
    expectRefused(await system.refresh(clientId, lost.refresh_token), 'invalid_grant')
    expect(await system.isActive(lost.access_token)).toBe(false)
  })

  it('is reuse from the first use of the successor on, at a public client, too', async () => {
    const { first, lost } = await rotated('spa', 0)
    const next = tokensOf(await system.refresh('spa', lost.refresh_token))
    expectRefused(await system.refresh('spa', first.refresh_token), 'invalid_grant')
    expectRefused(await system.refresh('spa', next.refresh_token), 'invalid_grant')
    expect(await system.isActive(next.access_token)).toBe(false)
  })

  it('is ended by one of 20 calls at once as soon as another one uses the successor', async () => {
    const { first, lost } = await rotated('spa', 300)
    const calls = Array.from({ length: 20 }, (_, n) =>
      system.refresh('spa', n === 10 ? lost.refresh_token : first.refresh_token),
    )
    const answers = await Promise.all(calls)
    for (const { status, json } of answers) {
      if (status !== 200) expect(json.error).toBe('invalid_grant')
    }
    expectRefused(await system.refresh('spa', first.refresh_token), 'invalid_grant')
    expectRefused(await system.refresh('spa', lost.refresh_token), 'invalid_grant')
  })

  it('gives nothing that is active after a revocation that runs at the same time', async () => {
    const { first, lost } = await rotated('spa', 300)
    const retries = Array.from({ length: 20 }, () => system.refresh('spa', first.refresh_token))
    const [revoked, ...answers] = await Promise.all([system.revoke('spa', lost.refresh_token), ...retries])
    expect(revoked?.status).toBe(200)
    const given = answers
      .filter(({ status }) => status === 200)
      .map((answer) => tokensOf(answer).access_token)
    const active = await Promise.all(given.map((token) => system.isActive(token)))
    expect(active).not.toContain(true)
    expectRefused(await system.refresh('spa', first.refresh_token), 'invalid_grant')
  })
})
