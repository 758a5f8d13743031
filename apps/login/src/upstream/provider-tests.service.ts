// Tests of identity providers: the way to the provider and back, without an account, a session or a pending request at its end.
import { type Browser, hashOf, type RandomBytes } from '../sessions/browser.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { Upstreams } from './upstream.ts'

/** The test of a link of an administrator. */
export interface WaitingTest {
  readonly providerId: string
  readonly providerName: string
  readonly organizationId: string
  /** The person who made the link; undefined: a service user. */
  readonly userId: string | undefined
}

/** Stores the tests of administrators. `undefined` stands for a test that is not there. */
export interface StoredTests {
  find(token: string): Promise<WaitingTest | undefined>
  /** Uses the link up. Returns whether it was there. */
  begin(token: string, state: string): Promise<boolean>
  /** Stores the outcome, once, and returns it as JSON. */
  finish(state: string, outcome: string): Promise<string | undefined>
}

/** `foreign`: the link is one of a person who has no session in this browser. */
type NoTest = { readonly kind: 'expired' } | { readonly kind: 'foreign' }

/** The result as JSON. */
type Finished = { readonly kind: 'finished'; readonly result: string }

export interface ProviderTests {
  open(
    token: string,
    browser: Browser,
  ): Promise<{ readonly kind: 'waiting'; readonly providerName: string } | NoTest>
  /** Returns the address at the provider, or the result where the test does not get there. */
  begin(
    token: string,
    browser: Browser,
  ): Promise<{ readonly kind: 'begun'; readonly location: string } | Finished | NoTest>
  complete(
    browser: Browser,
    answer: {
      readonly providerId: string
      readonly state: string
      readonly parameters: readonly (readonly [name: string, value: string])[]
    },
  ): Promise<Finished | { readonly kind: 'expired' }>
}

interface Dependencies {
  readonly upstreams: Upstreams
  readonly storedTests: StoredTests
  readonly sessions: Pick<BrowserSessions, 'live'>
  readonly random: RandomBytes
}

/** Random bytes of the state of a test: it is longer than that of a sign-in, and short enough for RelayState of SAML. */
const STATE_BYTES = 54
const STATE = /^[A-Za-z0-9_-]{72}$/

/** Whether a state is one of a test. It proves nothing: federation and the directory do. */
export const isTestState = (state: string): boolean => STATE.test(state)

export function createProviderTests(dependencies: Dependencies): ProviderTests {
  const { upstreams, storedTests, sessions, random } = dependencies

  async function find(token: string, browser: Browser) {
    const test = await storedTests.find(token)
    if (test === undefined) return { kind: 'expired' as const }
    const live = test.userId === undefined ? [] : await sessions.live(browser.sessionCookie)
    const isOwn = test.userId === undefined || live.some(({ userId }) => userId === test.userId)
    return isOwn ? { kind: 'waiting' as const, ...test } : { kind: 'foreign' as const }
  }

  async function finish(state: string, outcome: string): Promise<Finished | { readonly kind: 'expired' }> {
    const result = await storedTests.finish(state, outcome)
    return result === undefined ? { kind: 'expired' } : { kind: 'finished', result }
  }

  return {
    open: find,
    async begin(token, browser) {
      const test = await find(token, browser)
      if (test.kind !== 'waiting') return test
      const { providerId, organizationId } = test
      const state = random(STATE_BYTES).toString('base64url')
      if (!(await storedTests.begin(token, state))) return { kind: 'expired' }
      const begun = await upstreams.beginTest({
        ...{ providerId, organizationId, state, browser: hashOf(browser.id) },
      })
      return begun.kind === 'begun' ? begun : finish(state, begun.outcome)
    },
    async complete(browser, { providerId, state, parameters }) {
      const request = { providerId, state, parameters, browser: hashOf(browser.id) }
      return finish(state, await upstreams.completeTest(request))
    },
  }
}
