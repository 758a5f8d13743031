// Signs in with a name and a password that the server of a directory verifies. Every attempt is counted before the password leaves:
// under the typed name and the network, which bounds the searches, and under the entry that has the name, which keeps a server that
// locks accounts from doing so.
import type { FindSignInPage } from '@signet/directory-reader/sign-in-page'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { type Browser, hashOf, type RandomBytes } from '../sessions/browser.ts'
import type { Throttled, ThrottledAttempt } from '../sign-in/throttle.ts'
import type { UpstreamRefusal, Upstreams } from './upstream.ts'
import {
  findOfferedProvider,
  type ResponseOrigin,
  type SignInDependencies,
  signInAsserted,
  type UpstreamOutcome,
} from './upstream-sign-in.service.ts'

interface TypedPassword extends ResponseOrigin {
  readonly providerId: string
  readonly name: string
  readonly password: string
}

/** `wrong`: the name, the password, or an account that may not sign in. */
export type UpstreamPasswordOutcome =
  | UpstreamOutcome
  | UpstreamRefusal
  | Throttled
  | { readonly kind: 'wrong' }

/** Throws PageExpiredError when this browser has no such pending request. */
export type VerifyUpstreamPassword = (
  requestId: string,
  browser: Browser,
  typed: TypedPassword,
) => Promise<UpstreamPasswordOutcome>

interface LimitDependencies {
  readonly upstreams: Pick<Upstreams, 'findPerson'>
  readonly attempt: ThrottledAttempt
  readonly random: RandomBytes
}

interface Dependencies extends SignInDependencies, LimitDependencies {
  readonly upstreams: Pick<Upstreams, 'findPerson' | 'verifyPassword'>
  readonly findSignInPage: FindSignInPage
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'update'>
}

/** A password on its way to a provider. */
export interface SentPassword {
  readonly person: Parameters<Upstreams['findPerson']>[0]
  readonly password: string
  readonly clientAddress: string
}

/** The answer of a provider about a password. A refusal counts as no attempt. */
type SentAnswer<T> =
  | { readonly kind: 'accepted'; readonly value: T }
  | { readonly kind: 'wrong' }
  | UpstreamRefusal

/** Failures of a typed name without a delay. */
const FREE_OF_NAME = 10
/** Failures of an entry within 15 minutes: fewer than those after which servers lock. */
const MOST_OF_ENTRY = 5
const FAILURE_BYTES = 12
const MOST_CHARACTERS = { name: 300, password: 1_000 }

/** Ends an attempt that says nothing about the password, so that no counter changes. */
class NotVerified extends Error {
  readonly refusal: UpstreamRefusal

  constructor(refusal: UpstreamRefusal) {
    super(refusal.rule)
    this.refusal = refusal
  }
}

/**
 * Returns the function that sends passwords under all limits. `send` is called when they allow it, and `use` runs after a password that
 * was accepted, before the success counts.
 */
export function createLimitedPassword({ upstreams, attempt, random }: LimitDependencies) {
  /** Sends the password under the limit of the entry. Undefined: it is wrong. */
  async function sendForEntry<T>(person: SentPassword['person'], send: () => Promise<SentAnswer<T>>) {
    const found = await upstreams.findPerson(person)
    if (found.kind === 'wrong') return undefined
    if (found.kind !== 'found') throw new NotVerified(found)
    const counted = {
      ...{ counter: entryCounter(found.attemptKey), freeFailures: MOST_OF_ENTRY },
      failure: random(FAILURE_BYTES).toString('base64url'),
    }
    const outcome = await attempt(
      counted,
      async () => {
        const answer = await send()
        if (answer.kind === 'wrong') return undefined
        if (answer.kind !== 'accepted') throw new NotVerified(answer)
        return answer
      },
      (accepted) => accepted,
    )
    if (outcome.kind === 'failed') return undefined
    return outcome.kind === 'verified' ? outcome.value : outcome
  }

  return async <T, R>(
    { person, password, clientAddress }: SentPassword,
    send: () => Promise<SentAnswer<T>>,
    use: (value: T) => Promise<R>,
  ): Promise<
    { readonly kind: 'used'; readonly result: R } | { readonly kind: 'wrong' } | Throttled | UpstreamRefusal
  > => {
    const { providerId, name } = person
    if (name.length > MOST_CHARACTERS.name || password.length > MOST_CHARACTERS.password)
      return { kind: 'wrong' }
    let limited: Throttled | undefined
    try {
      const outcome = await attempt(
        { counter: nameCounter(providerId, name), freeFailures: FREE_OF_NAME, clientAddress },
        async () => {
          const sent = await sendForEntry(person, send)
          if (sent?.kind !== 'throttled') return sent
          // Counted as a failure: searches are bounded too.
          limited = sent
          return undefined
        },
        ({ value }) => use(value),
      )
      if (outcome.kind === 'verified') return { kind: 'used', result: outcome.value }
      return limited ?? (outcome.kind === 'failed' ? { kind: 'wrong' } : outcome)
    } catch (error) {
      if (error instanceof NotVerified) return error.refusal
      throw error
    }
  }
}

export function createUpstreamPassword(dependencies: Dependencies): VerifyUpstreamPassword {
  const { upstreams, flow } = dependencies
  const sendLimited = createLimitedPassword(dependencies)
  return async (requestId, browser, { providerId, name, password, ...origin }) => {
    // First, so that passwords cannot be tried without a pending request.
    const assessment = await flow.assess(requestId, browser, { sentAgain: true })
    const provider = await findOfferedProvider(dependencies, assessment, providerId)
    if (provider?.type !== 'ldap') return { kind: 'refused', rule: 'provider_not_offered' }
    const person = { providerId, organizationId: assessment.organizationId ?? '', name }
    const { clientAddress } = origin
    const outcome = await sendLimited(
      { person: { ...person, isTest: false }, password, clientAddress },
      async () => {
        const verified = await upstreams.verifyPassword({ ...person, password })
        return verified.kind === 'asserted' ? { kind: 'accepted' as const, value: verified } : verified
      },
      ({ account, assertion }) => {
        const asserted = { providerId, providerName: provider.name, account, assertion }
        const pending = { requestId, browser, assessment }
        return signInAsserted(dependencies, pending, asserted, { ...origin, create: false })
      },
    )
    return outcome.kind === 'used' ? outcome.result : outcome
  }
}

const nameCounter = (providerId: string, name: string) =>
  `upstream-name:${hashOf(JSON.stringify([providerId, name.normalize('NFKC').trim().toLowerCase()]))}`

const entryCounter = (attemptKey: string) => `upstream-entry:${attemptKey}`
