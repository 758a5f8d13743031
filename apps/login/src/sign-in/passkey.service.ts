// Signs in with a passkey: as the only factor, as second factor after a password, or as a new second factor that a policy
// demands.
import { isOfProvider } from '@signet/protocol/factor-demand'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { Browser } from '../sessions/browser.ts'
import { passkeyFactor } from '../sessions/browser-session.ts'
import {
  type NextStep,
  ownChange,
  proofOf,
  type SignedIn,
  type SignInProof,
  type VerifiedAccount,
  withFactor,
} from '../sessions/sign-in-proof.ts'
import type { BrowserTrust } from './browser-trust.ts'
import type { AddPasskey, BeginPasskey, OwnPasskey, PasskeyPerson } from './own-passkey.ts'
import type { ChallengedResponse, PasskeyChallenges } from './passkey-challenge.ts'
import type { SignInSteps } from './sign-in-steps.ts'
import { hasProvenFactor, trusted } from './totp.service.ts'

export interface PasskeyFactor {
  /** The JSON text of the browser. */
  readonly response: string
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
  /** X-Request-Id of the response: administrators find a refusal by it. */
  readonly responseId?: string
  /** Whether this browser asks for no second factor for some time, after a passkey as second factor. */
  readonly trustsBrowser: boolean
  /** Names of browser and system, for the user. */
  readonly agent: string
}

interface VerifiedPasskey {
  readonly kind: 'verified'
  readonly account: VerifiedAccount
  /** The authentication methods of the passkey (RFC 8176). */
  readonly amr: readonly string[]
  /** Whether the passkey counts as two factors. */
  readonly multiFactor: boolean
  readonly passkeyId: string
}

/**
 * Verifies a response to a challenge of this service. Returns undefined for every kind of failure. With `throttled` it
 * only writes the audit log and returns undefined.
 */
export type VerifyPasskey = (
  request: Omit<ChallengedResponse, 'credentialId'> & {
    readonly clientAddress: string
    readonly responseId?: string
    readonly throttled: boolean
    /** The application of the sign-in. */
    readonly clientId?: string
    /** The user is signed in already, and proves it for a change of the own account. */
    readonly confirms?: boolean
    /** The person whose password was verified before. */
    readonly userId?: string
    readonly organizationId?: string
  },
) => Promise<VerifiedPasskey | { readonly kind: 'forbidden'; readonly rule: string } | undefined>

/** `expired`: the challenge is too old, was used before, or is one of another page. */
type PasskeyOutcome =
  | { readonly kind: 'refused' | 'expired' | 'password-first' | 'forbidden' }
  | NextStep
  | SignedIn

type PasskeyStep = (requestId: string, browser: Browser, factor: PasskeyFactor) => Promise<PasskeyOutcome>

export interface PasskeySignIn {
  /** Signs in without a password. */
  signIn: PasskeyStep
  /** The passkeys that may follow a password; undefined where a second factor is not the next step. */
  secondFactors(requestId: string, browser: Browser): Promise<readonly OwnPasskey[] | undefined>
  /** Continues a sign-in after a password. */
  proveSecondFactor: PasskeyStep
  /** The person who may add a passkey as second factor; undefined where that is not the next step. */
  newSecondFactor(requestId: string, browser: Browser): Promise<PasskeyPerson | undefined>
  /** Adds a passkey as second factor and continues the sign-in. */
  addSecondFactor: PasskeyStep
}

interface Dependencies {
  readonly challenges: PasskeyChallenges
  readonly verifyPasskey: VerifyPasskey
  readonly listPasskeys: (userId: string) => Promise<{ readonly passkeys: readonly OwnPasskey[] }>
  readonly beginPasskey: BeginPasskey
  readonly addPasskey: AddPasskey
  readonly findSecondFactors: (
    userId: string,
  ) => Promise<{ readonly passkey: boolean; readonly passkeyAllowed: boolean }>
  readonly browserTrust: Pick<BrowserTrust, 'seconds' | 'add'>
  readonly steps: SignInSteps
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly now: () => Date
}

const PASSWORD_FIRST = { kind: 'password-first' } as const

export function createPasskeySignIn(dependencies: Dependencies): PasskeySignIn {
  const {
    challenges,
    listPasskeys,
    beginPasskey,
    addPasskey,
    findSecondFactors,
    browserTrust,
    steps,
    flow,
    now,
  } = dependencies

  return {
    async signIn(requestId, browser, { response, clientAddress, responseId }) {
      // First, so that passkeys cannot be tried without a pending request.
      const { organizationId, redirect } = await flow.assess(requestId, browser)
      const use = { purpose: 'sign-in', browser, subject: requestId } as const
      const challenged = await challenges.redeem(use, response)
      if (challenged === undefined) return { kind: 'expired' }
      const scope = {
        ...(organizationId !== undefined && { organizationId }),
        ...(responseId !== undefined && { responseId }),
        clientId: redirect.client.clientId,
      }
      const verified = await verify(dependencies, challenged, clientAddress, scope)
      if (verified.kind !== 'verified') return verified
      const { account, amr, multiFactor, passkeyId } = verified
      const methods = multiFactor ? [...amr, 'mfa'] : [...amr]
      return steps.advance(requestId, browser, {
        ...proofOf(account, now()),
        amr: methods,
        factors: [passkeyFactor(passkeyId)],
      })
    },
    async secondFactors(requestId, browser) {
      const proof = await proofAfterPassword(dependencies, requestId, browser, 'code')
      if (proof === undefined) return undefined
      const { passkey } = await findSecondFactors(proof.userId)
      if (!passkey) return []
      return (await listPasskeys(proof.userId)).passkeys.filter(({ cloned }) => !cloned)
    },
    async proveSecondFactor(requestId, browser, { response, trustsBrowser, agent, ...from }) {
      const { clientAddress, responseId } = from
      const proof = await proofAfterPassword(dependencies, requestId, browser, 'code')
      if (proof === undefined) return PASSWORD_FIRST
      const use = { purpose: 'second-factor', browser, subject: requestId } as const
      const challenged = await challenges.redeem(use, response)
      if (challenged === undefined) return { kind: 'expired' }
      const verified = await verify(dependencies, challenged, clientAddress, {
        ...{ userId: proof.userId, clientId: proof.clientId },
        ...(responseId !== undefined && { responseId }),
      })
      if (verified.kind !== 'verified') return verified
      const after = proven(dependencies, proof, verified.passkeyId, verified.amr)
      const withTrust = await trusted(after, { trustsBrowser, clientAddress, agent }, browserTrust)
      return steps.advance(requestId, browser, withTrust)
    },
    async newSecondFactor(requestId, browser) {
      const proof = await proofAfterPassword(dependencies, requestId, browser, 'enrolment')
      if (proof === undefined || !(await findSecondFactors(proof.userId)).passkeyAllowed) return undefined
      return beginPasskey(ownChange(proof, ''))
    },
    async addSecondFactor(requestId, browser, { response, clientAddress }) {
      const proof = await proofAfterPassword(dependencies, requestId, browser, 'enrolment')
      if (proof === undefined || !(await findSecondFactors(proof.userId)).passkeyAllowed)
        return PASSWORD_FIRST
      const use = { purpose: 'enrolment', browser, subject: requestId } as const
      const challenged = await challenges.redeem(use, response)
      if (challenged === undefined) return { kind: 'expired' }
      const factorProven = hasProvenFactor(proof)
      const added = await addPasskey(ownChange(proof, clientAddress), { factorProven, ...challenged })
      if (added === undefined) return { kind: 'refused' }
      return steps.advance(requestId, browser, proven(dependencies, proof, added.passkeyId, added.amr))
    },
  }
}

async function verify(
  { verifyPasskey }: Dependencies,
  { credentialId: _, ...challenged }: ChallengedResponse,
  clientAddress: string,
  scope: Pick<Parameters<VerifyPasskey>[0], 'userId' | 'organizationId' | 'clientId' | 'responseId'>,
) {
  const request = { ...challenged, ...scope, clientAddress }
  // A signature cannot be guessed, so failures delay nothing: the rate of the sign-in pages is enough.
  return (await verifyPasskey({ ...request, throttled: false })) ?? ({ kind: 'refused' } as const)
}

/** The proof of a person who entered a password or whom a provider asserts; a passkey is no second factor after a passkey. */
async function proofAfterPassword(
  { steps }: Dependencies,
  requestId: string,
  browser: Browser,
  step: 'code' | 'enrolment',
) {
  const proof = await steps.find(requestId, browser, step)
  return proof?.amr.includes('pwd') || isOfProvider(proof?.factors) ? proof : undefined
}

const proven = (
  { now }: Dependencies,
  proof: SignInProof,
  passkeyId: string,
  amr: readonly string[],
): SignInProof => ({
  ...withFactor(proof, passkeyFactor(passkeyId), amr),
  enrolment: undefined,
  secondFactor: 'proven',
  verifiedAt: now().getTime(),
})
