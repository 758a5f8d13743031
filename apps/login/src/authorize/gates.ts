// The gates of a sign-in (docs/sign-in-gates.md). The authorization endpoint asks them about the session that would answer a
// request, and each step of a sign-in asks them about the proof of its user so far. The first gate that holds decides.
import { AccessDeniedError, OAuthError } from '@signet/protocol/errors'
import { hasOtherFactor, isOfProvider, sessionDemand } from '@signet/protocol/factor-demand'
import { namedAudiences } from '@signet/protocol/scopes'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { FindFactorPolicy, FindSecondFactors } from '../sessions/factor-policy.ts'
import { type ImpersonationLimit, ImpersonationLimitError, proofFor } from '../sessions/impersonation.ts'
import { PROOF_LIFETIME_MS, type SignInProof, type SignInStep } from '../sessions/sign-in-proof.ts'
import type { ValidRequest } from './authorization-flow.ts'
import { askedScopes, type NeedsConsent } from './consent-rule.ts'
import type { Client } from './oauth-client.ts'
import type { UpstreamPerson } from './pending-authorization.ts'
import { requireEssentialAcr, wantedFactors } from './requested-claims.ts'
import type { FindRoleOffer, RoleOffer } from './role-offers.ts'
import type { AuthenticationNeeded, SelectedSession } from './select-session.ts'

/** Throws InvalidScopeError for scopes that add an audience which the application may not name. */
export type RequireAudiences = (client: Client, scopes: readonly string[]) => Promise<void>

/** Throws AccessDeniedError for a user whom a project of the audience does not admit. */
export type RequireProjectAccess = (
  client: Client,
  session: BrowserSession,
  scopes: readonly string[],
) => Promise<void>

export interface GateDependencies {
  readonly requireAudiences: RequireAudiences
  readonly requireProjectAccess: RequireProjectAccess
  readonly needsConsent: NeedsConsent
  readonly findRoleOffer: FindRoleOffer
  readonly findFactorPolicy: FindFactorPolicy
  readonly findSecondFactors: FindSecondFactors
  readonly now: () => Date
}

/** The sessions of the browser that satisfy a request, and the one that answers it. */
export interface Selection {
  readonly candidates: readonly BrowserSession[]
  readonly selected: SelectedSession
}

/** A request at its gates. */
export interface GateState extends Pick<ValidRequest, 'redirect' | 'request' | 'progress'> {
  /** Reads the sessions at its first call. */
  select(): Promise<Selection>
}

/** The action of the user before the response. */
export type GateInteraction =
  | AuthenticationNeeded
  | { readonly kind: 'second-factor'; readonly session: BrowserSession }
  | { readonly kind: 'link-account'; readonly session: BrowserSession; readonly person: UpstreamPerson }
  | { readonly kind: 'accept-roles'; readonly session: BrowserSession; readonly offer: RoleOffer }
  | { readonly kind: 'consent'; readonly session: BrowserSession }

type Answer<T> = Promise<T | undefined> | T | undefined

/** Undefined lets a sign-in pass. A gate that refuses the request for good throws an OAuthError. */
interface Gate {
  /** About a request, before the session that answers it is known. */
  readonly ofRequest?: (state: GateState, dependencies: GateDependencies) => Answer<GateInteraction>
  /** About the session that would answer the request. */
  readonly ofSession?: (
    session: BrowserSession,
    state: GateState,
    dependencies: GateDependencies,
  ) => Answer<GateInteraction>
  /** About an incomplete sign-in: it gets no session before the step. */
  readonly ofProof?: (proof: SignInProof) => SignInStep | undefined
}

/** The application may name the audiences of the scopes. */
const audience: Gate = {
  async ofRequest({ redirect, request }, { requireAudiences }) {
    await requireAudiences(redirect.client, request.scopes)
    return undefined
  },
}

/** A session of this browser answers the request: `prompt`, `max_age`, `login_hint` and the choice of the user. */
const session: Gate = {
  async ofRequest({ select, request }) {
    const { selected } = await select()
    if (selected.kind === 'none') return undefined
    const isImpersonated = selected.kind === 'sign-in' && selected.session?.impersonation !== undefined
    if (isImpersonated) throw impersonationLimit(request, 'impersonation_step_up')
    return selected
  },
}

/**
 * The session of an impersonation answers with what the administrator has proven, and gets nothing new: no authentication of the person,
 * no consent, no access to our own APIs.
 */
const impersonation: Gate = {
  async ofSession(current, { request }, { findFactorPolicy, now }) {
    const { impersonation: administrator } = current
    if (administrator === undefined) return undefined
    if (namedAudiences(request.scopes).namesApi) throw impersonationLimit(request, 'impersonation_api')
    const proven = { ...current, ...proofFor(current.organizationId, administrator) }
    const policy = await findFactorPolicy(current.organizationId)
    const missing = sessionDemand(policy, proven, { mfaWanted: false, isSignedInNow: false, now: now() })
    const isAsked = wantedFactors(request).mfa || request.claims?.acrIsEssential === true
    if (missing !== undefined || isAsked) throw impersonationLimit(request, 'impersonation_step_up')
    return undefined
  },
}

/** The application hears of it where the browser may show no page. */
function impersonationLimit({ prompts }: GateState['request'], reason: ImpersonationLimit): Error {
  if (!prompts.has('none')) return new ImpersonationLimitError(reason)
  return new AccessDeniedError('An administrator acts as the user, which the request does not allow', {
    reason,
  })
}

/** The factors that the policies of the organization and the request demand. */
const factor: Gate = {
  ofProof: ({ secondFactor }) =>
    secondFactor === 'code' || secondFactor === 'enrolment' ? secondFactor : undefined,
  async ofSession(current, { request, progress }, { findFactorPolicy, findSecondFactors, now }) {
    // The gate before has asked about the administrator.
    if (current.impersonation !== undefined) return undefined
    const wanted = wantedFactors(request)
    const isSignedInNow = current.sid === progress.signedInSid
    const policy = await findFactorPolicy(current.organizationId)
    const circumstances = { mfaWanted: wanted.mfa, isSignedInNow, now: now() }
    // A person without a passkey, or who has just chosen another factor, is not asked for one.
    const mayProvePasskey = async () =>
      wanted.passkey &&
      !isSignedInNow &&
      !current.amr.includes('pop') &&
      (await findSecondFactors(current.userId)).passkey
    const missing =
      sessionDemand(policy, current, circumstances) ??
      ((await mayProvePasskey()) ? 'second-factor' : undefined)
    if (missing === undefined) {
      requireEssentialAcr(request, current)
      return undefined
    }
    // A person who only has the browser of a user must not add a second factor to the account.
    const isOld = now().getTime() - current.authenticatedAt > PROOF_LIFETIME_MS
    const mayProve = async () =>
      hasOtherFactor(await findSecondFactors(current.userId), current.amr, current.factors)
    const needsPassword = missing === 'password' || (isOld && !(await mayProve()))
    return { kind: needsPassword ? 'sign-in' : 'second-factor', session: current }
  },
}

/** The password is not one that has to be changed. A session is made under a password that counts. */
const password: Gate = {
  ofProof: ({ passwordChangeRequired }) => (passwordChangeRequired ? 'new-password' : undefined),
}

/**
 * The person of an identity provider who signed in to an account that exists answers whether to link it. A link is one more way
 * in, so a factor of the account is proven before, also in a trusted browser and where the policy demands none.
 */
const link: Gate = {
  async ofSession(current, { progress: { upstream, signedInSid } }, { findSecondFactors, now }) {
    // The account is proven by a sign-in of this request, with each factor that it needs, and not by the provider.
    if (upstream === undefined || current.sid !== signedInSid || isOfProvider(current.factors))
      return undefined
    const isOld = now().getTime() - upstream.assertedAt > PROOF_LIFETIME_MS
    if (!upstream.mayLink || isOld) return undefined
    if (!current.amr.includes('mfa') && !current.amr.includes('pop')) {
      const factors = await findSecondFactors(current.userId)
      if (factors.totp || factors.passkey) return { kind: 'second-factor', session: current }
      // One that does not count cannot be proven.
      if (factors.anyPasskey) return undefined
    }
    return { kind: 'link-account', session: current, person: upstream }
  },
}

/** The projects of the audience admit the user. */
const admission: Gate = {
  async ofSession(current, { redirect, request }, { requireProjectAccess }) {
    await requireProjectAccess(redirect.client, current, request.scopes)
    return undefined
  },
}

/** The roles that were offered before this sign-in are answered. */
const roles: Gate = {
  async ofSession(current, { progress }, { findRoleOffer }) {
    if (progress.noRolesOffered || current.sid !== progress.signedInSid) return undefined
    const offer = await findRoleOffer(current.userId)
    return offer && { kind: 'accept-roles', session: current, offer }
  },
}

/** The user allows what the application asks for (OIDC Core section 3.1.2.4). */
const consent: Gate = {
  async ofSession(current, { redirect: { client }, request, progress }, { needsConsent }) {
    if (current.sid === progress.consentedSid) return undefined
    // Details are about one transaction, so an earlier consent does not count for them.
    const isWanted = request.prompts.has('consent') || request.details !== undefined
    const isAsked = isWanted && !client.neverAsksConsent
    const isNeeded = isAsked || (await needsConsent(client, current.userId, askedScopes(request)))
    if (isNeeded && current.impersonation !== undefined)
      throw impersonationLimit(request, 'impersonation_consent')
    return isNeeded ? { kind: 'consent', session: current } : undefined
  },
}

/** Gates in the order in which they are asked. */
const GATES = {
  audience,
  session,
  impersonation,
  factor,
  password,
  link,
  admission,
  roles,
  consent,
} satisfies Record<string, Gate>
const ORDER: readonly Gate[] = Object.values(GATES)

/** Returns what the user does next; undefined: the selected session answers the request. */
export async function passGates(
  state: GateState,
  dependencies: GateDependencies,
): Promise<GateInteraction | undefined> {
  for (const { ofRequest, ofSession } of ORDER) {
    const asked = await ofRequest?.(state, dependencies)
    if (asked !== undefined) return asked
    if (ofSession === undefined) continue
    const { selected } = await state.select()
    const found = selected.kind === 'none' && (await ofSession(selected.session, state, dependencies))
    if (found) return found
  }
  return undefined
}

/** The answer of one gate about a session. */
export interface GateFinding {
  readonly gate: string
  readonly answer: GateInteraction | OAuthError | undefined
}

/** Asks each gate about the session that would answer a request, also those behind one that holds. */
export async function inspectGates(
  session: BrowserSession,
  state: GateState,
  dependencies: GateDependencies,
): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = []
  for (const [gate, { ofRequest, ofSession }] of Object.entries<Gate>(GATES)) {
    if (ofRequest === undefined && ofSession === undefined) continue
    try {
      const asked =
        (await ofRequest?.(state, dependencies)) ?? (await ofSession?.(session, state, dependencies))
      findings.push({ gate, answer: asked })
    } catch (error) {
      if (!(error instanceof OAuthError) || error.status >= 500) throw error
      findings.push({ gate, answer: error })
    }
  }
  return findings
}

/** Returns the next step of an incomplete sign-in; undefined: it gets its session. */
export function nextStep(proof: SignInProof): SignInStep | undefined {
  for (const { ofProof } of ORDER) {
    const step = ofProof?.(proof)
    if (step !== undefined) return step
  }
  return undefined
}
