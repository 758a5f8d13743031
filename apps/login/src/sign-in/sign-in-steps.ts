import { isOfProvider, linkFactor, missingFactor } from '@signet/protocol/factor-demand'
import type { Assessment, AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { nextStep } from '../authorize/gates.ts'
import type { AccountCookies } from '../sessions/account-cookies.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserSession, IsUsable, SignInOrigin } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { FindSecondFactors } from '../sessions/factor-policy.ts'
import {
  type NextStep,
  PROOF_LIFETIME_MS,
  type SignInProof,
  type SignInStep,
} from '../sessions/sign-in-proof.ts'
import type { CompleteSignIn } from './password-sign-in.ts'

export interface SignInSteps {
  /** Returns the proof of a pending request, with its application, if `step` is the next one and the proof has not expired. */
  find(
    requestId: string,
    browser: Browser,
    step: SignInStep,
  ): Promise<(SignInProof & { readonly clientId: string }) | undefined>
  /** Stores the proof, or signs in when no step is left. With `page` a complete sign-in may answer the request. */
  advance(
    requestId: string,
    browser: Browser,
    proof: SignInProof,
    page?: SubmittedPage,
  ): Promise<NextStep | CompleteSignIn>
  /** Stores the proof. */
  save(requestId: string, browser: Browser, proof: SignInProof): Promise<void>
}

/** A page whose form completes a sign-in. */
interface SubmittedPage {
  readonly assessment: Assessment
  readonly noRolesOffered: boolean
  /** Sent together with what the sign-in stores. */
  readonly succeed?: () => Promise<void>
}

interface SignInStepsDependencies {
  readonly findSecondFactors: FindSecondFactors
  readonly sessions: BrowserSessions
  readonly isUsable: IsUsable
  readonly devices: Pick<AccountCookies, 'issue'>
  readonly trustCookies: Pick<AccountCookies, 'issue'>
  /** A failure is logged and does not reject. */
  readonly notifyNewSignIn: (userId: string, origin: SignInOrigin) => Promise<void>
  /** The links of an account. */
  readonly linkDirectory: LinkList
  /** Ends a session whose sign-in the identity provider has ended, once it is stored. Returns whether it did. */
  readonly endIfEnded: (session: BrowserSession, stored: Promise<void>) => Promise<boolean>
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'update' | 'answer' | 'finish'>
  readonly now: () => Date
}

interface LinkList {
  list(userId: string): Promise<readonly { readonly id: string; readonly usable: boolean }[]>
}

export function createSignInSteps(dependencies: SignInStepsDependencies): SignInSteps {
  const { sessions, devices, trustCookies, notifyNewSignIn, flow } = dependencies

  return {
    save: (requestId, browser, proof) => save(dependencies, requestId, browser, proof),
    async find(requestId, browser, step) {
      const assessment = await flow.assess(requestId, browser)
      const proof = await readOrBuildProof(dependencies, assessment)
      const { clientId } = assessment.redirect.client
      return proof !== undefined && nextStep(proof) === step ? { ...proof, clientId } : undefined
    },
    async advance(requestId, browser, proof, page) {
      const step = nextStep(proof)
      if (step !== undefined) {
        await save(dependencies, requestId, browser, proof)
        return { kind: 'next-step', step }
      }
      const { userId, organizationId, userEpoch, organizationEpoch, secondFactor, session: before } = proof
      const signedInFrom = { ...browser.agent, clientAddress: browser.clientAddress }
      const made = await sessions.prepare(browser.sessionCookie, {
        userId,
        organizationId,
        userEpoch,
        organizationEpoch,
        factors: proof.factors,
        upstream: proof.upstream,
        signedInFrom,
        clientId: page?.assessment.redirect.client.clientId,
        amr: [...new Set(secondFactor === 'proven' ? [...proof.amr, 'mfa'] : proof.amr)],
        passwordAt: before?.authenticatedAt ?? proof.authenticatedAt,
        startedAt: startOf(proof, dependencies.now()),
        ...(proof.isTimeUnknown && { isTimeUnknown: true }),
        secondFactorAt:
          proof.factorProvenAt ?? (secondFactor === 'proven' ? undefined : proof.authenticatedAt),
      })
      const { deviceKey, trustKey, browserId, passkeyOffered } = proof
      const { sid } = made.session
      // Together with the response. Where the session ends meanwhile, its end covers the code, which token then redeems no more.
      const stored = made.store()
      const ending = dependencies.endIfEnded(made.session, stored)
      const answering =
        page === undefined || passkeyOffered
          ? undefined
          : flow.answer(page.assessment, { ...made, noRolesOffered: page.noRolesOffered })
      const finish = async () => {
        const [isEnded, response] = await Promise.all([ending, answering])
        // An ID token of an ended session would count at the application. The person signs in again instead.
        if (page !== undefined && response !== undefined && !isEnded)
          return (await flow.finish(requestId, browser, page.assessment)) ? response : undefined
        await flow.update(requestId, browser, { signedInSid: sid, passwordProof: undefined })
        return undefined
      }
      const [response] = await Promise.all([
        finish(),
        stored,
        page?.succeed?.(),
        proof.isNewBrowser && notifyNewSignIn(userId, signedInFrom),
      ])
      const deviceCookie = deviceKey === '' ? undefined : devices.issue(browser.deviceCookie, deviceKey)
      return {
        kind: 'signed-in',
        sessionCookie: made.cookie,
        deviceCookie,
        ...(trustKey && { trustCookie: trustCookies.issue(browser.trustCookie, trustKey, browserId) }),
        sid,
        userId,
        passkeyOffered,
        // Absent also where the request was answered elsewhere a moment before: `continue` says so.
        ...(response && { response }),
      }
    },
  }
}

/** The start of a session whose user did not authenticate just now. */
function startOf({ session, authenticatedAt }: SignInProof, now: Date): number | undefined {
  if (session !== undefined) return session.startedAt
  return authenticatedAt === undefined ? undefined : now.getTime()
}

/** Whether the link and the provider by which a person began still count. The end of a link raises no epoch. */
async function isLinked({ linkDirectory }: SignInStepsDependencies, { userId, factors }: SignInProof) {
  if (!isOfProvider(factors)) return true
  const links = await linkDirectory.list(userId)
  return links.some(({ id, usable }) => usable && factors?.includes(linkFactor(id)))
}

async function readOrBuildProof(
  dependencies: SignInStepsDependencies,
  assessment: Assessment,
): Promise<SignInProof | undefined> {
  const { now, isUsable, findSecondFactors } = dependencies
  const session = assessment.interaction === 'second-factor' ? assessment.session : undefined
  const { passwordProof: stored } = assessment.progress
  const isRecent = stored !== undefined && now().getTime() - stored.verifiedAt <= PROOF_LIFETIME_MS
  // A proof made from a session needs that session to be usable; one made from a password needs current epochs.
  if (isRecent && (stored.session === undefined || stored.session.sid === session?.sid)) {
    const isLive = await isUsable(
      stored.session === undefined ? stored : { ...stored, sid: stored.session.sid },
    )
    return isLive && (stored.session !== undefined || (await isLinked(dependencies, stored)))
      ? stored
      : undefined
  }
  if (session === undefined) return undefined
  const { userId, organizationId, userEpoch, organizationEpoch, sid, authenticatedAt, startedAt } = session
  const amr = session.amr.includes('pwd') ? ['pwd'] : session.amr.filter((method) => method !== 'mfa')
  const factors = await findSecondFactors(userId)
  return {
    userId,
    organizationId,
    userEpoch,
    organizationEpoch,
    deviceKey: '',
    verifiedAt: now().getTime(),
    amr,
    ...(session.factors && { factors: [...session.factors] }),
    ...(session.upstream && { upstream: session.upstream }),
    passkeyOffered: false,
    isNewBrowser: false,
    secondFactor: missingFactor(factors, amr, session.factors),
    passwordChangeRequired: false,
    session: { sid, authenticatedAt, startedAt },
  }
}

async function save(
  { flow }: SignInStepsDependencies,
  requestId: string,
  browser: Browser,
  proof: SignInProof,
): Promise<void> {
  await flow.update(requestId, browser, { passwordProof: proof })
}
