// Tests of identity providers: an administrator opens a link, signs in at the provider, and reads what came of it. A test makes no
// account, no link and no session; it ends in a page of login and in one answer of the management API.
import { createHash } from 'node:crypto'
import type { Clock } from '@signet/platform/runtime/clock'
import type { ProviderTestStore, WaitingTest } from './provider-test.repository.ts'
import type { createTryUpstream, TriedSignIn } from './try-upstream.ts'
import type { UpstreamAssertion } from './upstream-person.ts'

/** Time in which the link is opened, and afterwards in which the result is read. */
export const TEST_MS = 5 * 60_000
/** Time for the sign-in at the provider: that of every sign-in, and some more. */
const SIGN_IN_MS = 11 * 60_000

/** The path of the page that begins a test. */
export const TEST_PATH = '/ui/identity-providers/test'

/** The result of a test as the management API answers it. */
export interface ProviderTestResult extends Omit<TriedSignIn, 'outcome'> {
  /** `provider_refused`: the answer of the provider broke a rule; `declined`: the person or the provider ended the sign-in. */
  readonly outcome: TriedSignIn['outcome'] | 'provider_refused' | 'declined'
  readonly refusedBy?: { readonly rule: string; readonly received?: string; readonly expected?: string }
  readonly issuer?: string
  readonly subject?: string
  readonly groups?: readonly string[]
  /** Claims by document. */
  readonly documents?: Readonly<Record<string, unknown>>
}

interface Refusal {
  readonly rule: string
  readonly received: string
  readonly expected: string
  readonly declined: boolean
}

/** The answer of the provider. */
export type ReceivedAnswer =
  | { readonly refusal: Refusal }
  | {
      readonly assertion: UpstreamAssertion
      readonly documents: readonly { readonly name: string; readonly claims: string }[]
    }

interface Dependencies {
  readonly tests: ProviderTestStore
  readonly tryUpstream: ReturnType<typeof createTryUpstream>
  readonly now: Clock
}

export interface ProviderTests {
  /** The test of a link that was not opened yet. */
  find(token: string): Promise<WaitingTest | undefined>
  /** Returns whether the link was good. Of concurrent calls one begins the test. */
  begin(token: string, state: string): Promise<boolean>
  /** Stores the result of a test and returns it; undefined for a state that no test waits for. */
  finish(state: string, answer: ReceivedAnswer): Promise<ProviderTestResult | undefined>
}

export function createProviderTests({ tests, tryUpstream, now }: Dependencies): ProviderTests {
  const after = (ms: number) => new Date(now().getTime() + ms)
  return {
    find: (token) => tests.findWaiting(hashOfSecret(token), now()),
    begin: (token, state) =>
      tests.begin(hashOfSecret(token), {
        ...{ stateHash: hashOfSecret(state), now: now(), expiresAt: after(SIGN_IN_MS) },
      }),
    async finish(state, answer) {
      const stateHash = hashOfSecret(state)
      const providerId = await tests.findBegun(stateHash, now())
      if (providerId === undefined) return undefined
      const result = await resultOf(answer, providerId, tryUpstream)
      const isStored = await tests.finish(stateHash, { result, now: now(), expiresAt: after(TEST_MS) })
      return isStored ? result : undefined
    },
  }
}

async function resultOf(
  answer: ReceivedAnswer,
  providerId: string,
  tryUpstream: Dependencies['tryUpstream'],
): Promise<ProviderTestResult> {
  if ('refusal' in answer) {
    const { rule, received, expected, declined } = answer.refusal
    const values = { ...(received !== '' && { received }), ...(expected !== '' && { expected }) }
    return { outcome: declined ? 'declined' : 'provider_refused', refusedBy: { rule, ...values } }
  }
  const { assertion, documents } = answer
  if (assertion.providerId !== providerId) throw new Error('the assertion is one of another provider')
  const { issuer, subject, groups } = assertion
  return {
    ...(await tryUpstream(assertion)),
    ...{ issuer, subject, groups },
    documents: Object.fromEntries(documents.map(({ name, claims }) => [name, JSON.parse(claims)])),
  }
}

export const hashOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
