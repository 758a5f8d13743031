// Tests of identity providers: the way to the provider and back, without an account, a session or a pending request at its end.
import { type Browser, hashOf, type RandomBytes } from '../sessions/browser.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { Throttled, ThrottledAttempt } from '../sign-in/throttle.ts'
import type { UpstreamRefusal, Upstreams } from './upstream.ts'
import { createLimitedPassword } from './upstream-password.service.ts'

/** The test of a link of an administrator. */
export interface WaitingTest {
  readonly providerId: string
  readonly providerName: string
  readonly organizationId: string
  /** The person who made the link; undefined: a service user. */
  readonly userId: string | undefined
  /** Signet asks for the password of the provider, which is a directory. */
  readonly asksPassword: boolean
}

/** Stores the tests of administrators. `undefined` stands for a test that is not there. */
export interface StoredTests {
  find(token: string): Promise<WaitingTest | undefined>
  /** Uses the link up. Returns whether it was there. */
  begin(token: string, state: string): Promise<boolean>
  /** Stores the outcome, or the refusal that there is in place of one, once, and returns the result as JSON. */
  finish(state: string, outcome: string | UpstreamRefusal): Promise<string | undefined>
}

/** `foreign`: the link is one of a person who has no session in this browser. */
type NoTest = { readonly kind: 'expired' } | { readonly kind: 'foreign' }

/** The result as JSON. */
type Finished = { readonly kind: 'finished'; readonly result: string }

export interface ProviderTests {
  open(
    token: string,
    browser: Browser,
  ): Promise<({ readonly kind: 'waiting' } & Pick<WaitingTest, 'providerName' | 'asksPassword'>) | NoTest>
  /** Returns the address at the provider, or the result where the test does not get there. */
  begin(
    token: string,
    browser: Browser,
  ): Promise<{ readonly kind: 'begun'; readonly location: string } | Finished | NoTest>
  /**
   * Verifies a password under the limits of every sign-in. `wrong`: the name is none. Then, and when a limit refuses, the link
   * is good for another attempt.
   */
  sendPassword(
    token: string,
    browser: Browser,
    typed: { readonly name: string; readonly password: string },
  ): Promise<Finished | NoTest | Throttled | { readonly kind: 'wrong' }>
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
  readonly attempt: ThrottledAttempt
  readonly random: RandomBytes
}

/** Random bytes of the state of a test: it is longer than that of a sign-in, and short enough for RelayState of SAML. */
const STATE_BYTES = 54
const STATE = /^[A-Za-z0-9_-]{72}$/

/** Whether a state is one of a test. It proves nothing: federation and the directory do. */
export const isTestState = (state: string): boolean => STATE.test(state)

/** Another attempt has used the link. */
const LINK_USED: UpstreamRefusal = { kind: 'refused', rule: 'request_unknown' }

export function createProviderTests(dependencies: Dependencies): ProviderTests {
  const { upstreams, storedTests, sessions, random } = dependencies
  const sendLimited = createLimitedPassword(dependencies)
  const newState = () => random(STATE_BYTES).toString('base64url')

  async function find(token: string, browser: Browser) {
    const test = await storedTests.find(token)
    if (test === undefined) return { kind: 'expired' as const }
    const live = test.userId === undefined ? [] : await sessions.live(browser.sessionCookie)
    const isOwn = test.userId === undefined || live.some(({ userId }) => userId === test.userId)
    return isOwn ? { kind: 'waiting' as const, ...test } : { kind: 'foreign' as const }
  }

  async function finish(
    state: string,
    outcome: string | UpstreamRefusal,
  ): Promise<Finished | { readonly kind: 'expired' }> {
    const result = await storedTests.finish(state, outcome)
    return result === undefined ? { kind: 'expired' } : { kind: 'finished', result }
  }

  return {
    open: find,
    async begin(token, browser) {
      const test = await find(token, browser)
      if (test.kind !== 'waiting') return test
      const { providerId, organizationId } = test
      const state = newState()
      if (!(await storedTests.begin(token, state))) return { kind: 'expired' }
      const begun = await upstreams.beginTest({
        ...{ providerId, organizationId, state, browser: hashOf(browser.id) },
      })
      return begun.kind === 'begun' ? begun : finish(state, begun.outcome)
    },
    async sendPassword(token, browser, { name, password }) {
      const test = await find(token, browser)
      if (test.kind !== 'waiting') return test
      const { providerId, organizationId } = test
      const state = newState()
      const person = { providerId, organizationId, name }
      const { clientAddress } = browser
      let outcome: string | undefined
      const sent = await sendLimited(
        { person: { ...person, isTest: true }, password, clientAddress },
        async () => {
          if (!(await storedTests.begin(token, state))) return LINK_USED
          const tested = await upstreams.testPassword({ ...person, password })
          outcome = tested.outcome
          return tested.answer.kind === 'accepted' ? { kind: 'accepted', value: undefined } : tested.answer
        },
        async () => undefined,
      )
      if (outcome !== undefined) return finish(state, outcome)
      if (sent.kind === 'throttled' || sent.kind === 'wrong') return sent
      if (sent.kind === 'used' || !(await storedTests.begin(token, state))) return { kind: 'expired' }
      return finish(state, sent)
    },
    async complete(browser, { providerId, state, parameters }) {
      const request = { providerId, state, parameters, browser: hashOf(browser.id) }
      return finish(state, await upstreams.completeTest(request))
    },
  }
}
