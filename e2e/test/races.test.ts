import type { HttpBrowser } from '@signet/testing/http-browser'
import { seeded } from '@signet/testing/seeded'
import { size } from '@signet/testing/sizes'
import { asserted, assertionOf } from '@signet/testing/system/client-credentials'
import { startSystem } from '@signet/testing/system/start-system'
import { type Answer, type TestSystem, type Tokens, tokensOf } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let system: TestSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
}, 60_000)
afterAll(() => system?.stop())

const LONG_MS = 600_000
const atOnce = <T>(count: number, call: () => Promise<T>) => Promise.all(Array.from({ length: count }, call))
const succeeded = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200)

describe('parallel calls', () => {
  it(
    'of 100 parallel redemptions of a code exactly one succeeds [F-05]',
    async () => {
      for (let round = 0; round < size('racedCodes'); round += 1) {
        const code = await system.code({ scope: 'openid offline_access', loginName: 'carol' })
        const answers = await atOnce(100, () => system.redeem(code))
        expect(succeeded(answers)).toHaveLength(1)
        const refusals = answers.filter(({ status }) => status !== 200)
        expect(new Set(refusals.map(({ status, json }) => `${status} ${json.error}`))).toEqual(
          new Set(['400 invalid_grant']),
        )
        // The ninety-nine others were valid replays.
        expect(await system.isActive(tokensOf(succeeded(answers)[0] ?? fail()).access_token)).toBe(false)
      }
    },
    LONG_MS,
  )

  it(
    '50 parallel refreshes return one successor, byte for byte [F-19]',
    async () => {
      for (let round = 0; round < size('racedFamilies'); round += 1) {
        const { refresh_token } = await system.tokens({ loginName: 'carol' })
        const answers = await atOnce(50, () => system.refresh('web', refresh_token))
        expect(succeeded(answers)).toHaveLength(50)
        const successors = new Set(answers.map(({ json }) => json.refresh_token))
        expect(successors.size).toBe(1)
        expect(successors).not.toContain(refresh_token)
        const [successor = ''] = successors
        expect((await system.refresh('web', String(successor))).status).toBe(200)
      }
    },
    LONG_MS,
  )

  it('of 20 parallel uses of an assertion exactly one succeeds [F-11]', async () => {
    const credentials = asserted(await assertionOf(system.issuer))
    const answers = await atOnce(20, () => system.post('/oauth/v2/revoke', { token: 'x' }, credentials))
    expect(succeeded(answers)).toHaveLength(1)
  })
})

const fail = (): never => {
  throw new Error('nothing succeeded')
}

describe('redeeming and refreshing race the end [F-20]', () => {
  const ends: Readonly<Record<string, (tokens: Tokens, browser: HttpBrowser) => Promise<unknown>>> = {
    'the end of the session': (tokens, browser) =>
      browser.open(`/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: tokens.id_token })}`),
    'the revocation of the refresh token': (tokens) => system.revoke('web', tokens.refresh_token),
  }

  it.each(Object.entries(ends))(
    'after %s no token of it is active and no new one is issued',
    async (what, end) => {
      const endsSession = what === 'the end of the session'
      for (let seed = 1; seed <= size('interleavings') / 4; seed += 1) {
        const random = seeded(seed)
        const browser = system.newBrowser()
        const first = await system.tokens({ browser, loginName: 'dora' })
        const code = endsSession ? await system.code({ browser, scope: 'openid offline_access' }) : undefined
        const later = <T>(work: () => Promise<T>) =>
          new Promise<T>((resolve, reject) => setTimeout(() => work().then(resolve, reject), random() * 12))

        const racing = [
          ...(code ? [later(() => system.redeem(code))] : []),
          ...Array.from({ length: 4 }, () => later(() => system.refresh('web', first.refresh_token))),
        ]
        await later(() => end(first, browser))
        const late = await system.refresh('web', first.refresh_token)
        expect(late.json.error, `seed ${seed}`).toBe('invalid_grant')

        const won = [first, ...succeeded(await Promise.all(racing)).map(tokensOf)]
        for (const { access_token, refresh_token } of won) {
          expect((await system.introspect(access_token)).text, `seed ${seed}`).toBe('{"active":false}')
          expect((await system.refresh('web', refresh_token)).status, `seed ${seed}`).toBe(400)
        }
        if (code) expect((await system.redeem(code)).status, `seed ${seed}`).toBe(400)
      }
    },
    LONG_MS,
  )
})
