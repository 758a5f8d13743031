// Signs in by an identity provider: federation proves the person, the directory finds the account, and the steps of every other
// sign-in follow.
import type { FindSignInPage, OfferedProvider } from '@signet/directory-reader/sign-in-page'
import type { Assessment, AuthorizationFlow } from '../authorize/authorization-flow.ts'
import {
  type CountStored,
  createBeginLimit,
  type UpstreamPerson,
} from '../authorize/pending-authorization.ts'
import { type Browser, hashOf, PageExpiredError, type RandomBytes } from '../sessions/browser.ts'
import { type NextStep, ownChange, PROOF_LIFETIME_MS, proofOf } from '../sessions/sign-in-proof.ts'
import type { BrowserTrust } from '../sign-in/browser-trust.ts'
import type { CompleteSignIn } from '../sign-in/password-sign-in.ts'
import type { SignInSteps } from '../sign-in/sign-in-steps.ts'
import type { UpstreamAccounts, UpstreamRefusal, Upstreams } from './upstream.ts'

/** Origin of a response, for the log and the audit log. */
export interface ResponseOrigin {
  readonly clientAddress: string
  readonly responseId: string
}

/** `forbidden`: the directory has no account for the person that may sign in. */
export type UpstreamOutcome =
  | NextStep
  | CompleteSignIn
  | { readonly kind: 'unlinked' }
  | { readonly kind: 'forbidden'; readonly rule: string }

/** Every method throws PageExpiredError when this browser has no such pending request. */
export interface UpstreamSignIn {
  /** Returns the address at the provider, or that the person types the password of the provider here. */
  begin(
    requestId: string,
    browser: Browser,
    providerId: string,
  ): Promise<
    | { readonly kind: 'begun'; readonly location: string }
    | { readonly kind: 'asks-password' }
    | UpstreamRefusal
  >
  /** Continues with the parameters that came back through the browser. */
  complete(
    requestId: string,
    browser: Browser,
    answer: ResponseOrigin & {
      readonly providerId: string
      readonly state: string
      readonly parameters: readonly (readonly [name: string, value: string])[]
    },
  ): Promise<UpstreamOutcome | UpstreamRefusal>
  /** Makes an account for the person whom `complete` left without one. */
  create(requestId: string, browser: Browser, origin: ResponseOrigin): Promise<UpstreamOutcome>
  /** Links the person to the account that signed in for this request, or not. Returns the rule that refuses the link. */
  answerLink(
    requestId: string,
    browser: Browser,
    answer: { readonly accepted: boolean; readonly clientAddress: string },
  ): Promise<string | undefined>
}

/** The parts of a sign-in by an assertion. */
export interface SignInDependencies {
  readonly upstreamAccounts: Pick<UpstreamAccounts, 'resolve'>
  readonly steps: SignInSteps
  readonly browserTrust: Pick<BrowserTrust, 'provenAt'>
  readonly flow: Pick<AuthorizationFlow, 'update'>
  readonly countStored: CountStored
  readonly now: () => Date
}

interface Dependencies extends SignInDependencies {
  readonly upstreams: Upstreams
  readonly upstreamAccounts: UpstreamAccounts
  readonly findSignInPage: FindSignInPage
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'update'>
  readonly random: RandomBytes
}

/** Finds a provider; undefined where the sign-in page of the request does not offer it. */
export async function findOfferedProvider(
  { findSignInPage }: Pick<Dependencies, 'findSignInPage'>,
  { organizationId, progress, request }: Assessment,
  providerId: string,
): Promise<OfferedProvider | undefined> {
  const { providers } = await findSignInPage(organizationId, progress.typedName ?? request.loginHint)
  return providers.find(({ id }) => id === providerId)
}

/** Random bytes behind the id of the pending request in `state`: 65 characters in all, of which RelayState of SAML takes 80. */
const STATE_BYTES = 16
const STATE = /^([A-Za-z0-9_-]{43})[A-Za-z0-9_-]{22}$/

/** The pending request of a `state`; undefined for one that no sign-in has. It proves nothing: `complete` does. */
export const requestOfState = (state: string): string | undefined => STATE.exec(state)?.[1]

export function createUpstreamSignIn(dependencies: Dependencies): UpstreamSignIn {
  const { upstreams, upstreamAccounts, flow, now, random } = dependencies
  const countBegun = createBeginLimit(dependencies.now)

  return {
    async begin(requestId, browser, providerId) {
      const assessment = await flow.assess(requestId, browser)
      const { request, organizationId, progress } = assessment
      const provider = await findOfferedProvider(dependencies, assessment, providerId)
      if (provider === undefined) return { kind: 'refused', rule: 'provider_not_offered' }
      if (provider.type === 'ldap') return { kind: 'asks-password' }
      countBegun(browser.clientAddress)
      const session = 'session' in assessment ? assessment.session : undefined
      return upstreams.begin({
        providerId,
        state: `${requestId}${random(STATE_BYTES).toString('base64url')}`,
        browser: hashOf(browser.id),
        organizationId: organizationId ?? '',
        loginHint: progress.typedName ?? request.loginHint,
        // A person with a session that does not satisfy the request authenticates again.
        fresh: request.prompts.has('login') || session !== undefined,
        maxAgeSeconds: request.maxAgeSeconds,
        acrValues: request.acrValues,
        uiLocales: (request.uiLocales ?? '').split(' ').filter((locale) => locale !== ''),
      })
    },
    async complete(requestId, browser, { providerId, state, parameters, ...origin }) {
      const assessment = await flow.assess(requestId, browser)
      const completed = await upstreams.complete({
        ...{ providerId, state, parameters },
        browser: hashOf(browser.id),
      })
      if (completed.kind !== 'asserted') return completed
      const { account, assertion } = completed
      const provider = await findOfferedProvider(dependencies, assessment, providerId)
      if (provider === undefined) return { kind: 'forbidden', rule: 'provider_not_offered' }
      const person = { providerId, providerName: provider.name, account, assertion }
      return signInAsserted(dependencies, { requestId, browser, assessment }, person, {
        ...origin,
        create: false,
      })
    },
    async create(requestId, browser, origin) {
      const assessment = await flow.assess(requestId, browser)
      const person = waitingPerson(assessment)
      const isOld = now().getTime() - person.assertedAt > PROOF_LIFETIME_MS
      if (!person.mayCreate || isOld) throw new PageExpiredError('no account may be made')
      return signInAsserted(dependencies, { requestId, browser, assessment }, person, {
        ...origin,
        create: true,
      })
    },
    async answerLink(requestId, browser, { accepted, clientAddress }) {
      const assessment = await flow.assess(requestId, browser)
      if (assessment.interaction !== 'link-account') throw new PageExpiredError('no link waits for an answer')
      const { person, session } = assessment
      const refusal = accepted
        ? await upstreamAccounts.link(ownChange(session, clientAddress), person.assertion)
        : undefined
      await flow.update(requestId, browser, { upstream: undefined })
      return refusal
    },
  }
}

/** Returns the person whom a provider asserted for a pending request. Throws PageExpiredError where none waits. */
export function waitingPerson({ progress: { upstream } }: Assessment): UpstreamPerson {
  if (upstream === undefined) throw new PageExpiredError('no person of an identity provider waits')
  return upstream
}

interface PendingSignIn {
  readonly requestId: string
  readonly browser: Browser
  readonly assessment: Assessment
}

/** Signs in the person of an assertion, by the steps of every other sign-in. */
export async function signInAsserted(
  { upstreamAccounts, steps, browserTrust, flow, countStored, now }: SignInDependencies,
  { requestId, browser, assessment }: PendingSignIn,
  person: Pick<UpstreamPerson, 'providerId' | 'providerName' | 'account' | 'assertion'> &
    Partial<Pick<UpstreamPerson, 'assertedAt'>>,
  { clientAddress, responseId, create }: ResponseOrigin & { readonly create: boolean },
): Promise<UpstreamOutcome> {
  const { organizationId, redirect } = assessment
  const found = await upstreamAccounts.resolve({
    ...{ assertion: person.assertion, organizationId, clientId: redirect.client.clientId },
    ...{ clientAddress, responseId, create },
  })
  if (found.kind === 'forbidden') return found
  if (found.kind === 'unlinked') {
    const { mayLink, mayCreate } = found
    const upstream = { ...person, mayLink, mayCreate, assertedAt: now().getTime() }
    // A provider may send much more than the request was counted with.
    countStored(clientAddress, upstream)
    await flow.update(requestId, browser, { upstream, upstreamProblem: undefined })
    return { kind: 'unlinked' }
  }
  const { account, amr, factor, noRolesOffered, authenticatedAt, upstream } = found
  const proof = {
    ...proofOf(account, now(), await browserTrust.provenAt(browser, account)),
    amr: [...amr],
    factors: [factor],
    ...(upstream && { upstream: { ...upstream, assertedAt: person.assertedAt ?? now().getTime() } }),
    // The provider may have signed the person in a while ago, and its clock may be ahead.
    ...(authenticatedAt === undefined
      ? { isTimeUnknown: true }
      : { authenticatedAt: Math.min(authenticatedAt, now().getTime()) }),
  }
  return steps.advance(requestId, browser, proof, { assessment, noRolesOffered })
}
