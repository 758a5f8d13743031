// Verifies the password of a sign-in. sign-in-steps.ts then decides whether a code, a new second factor or a new
// password follows, and creates the session.
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { AccountCookies } from '../sessions/account-cookies.ts'
import { proofOf } from '../sessions/sign-in-proof.ts'
import { agentText } from '../sessions/user-agent.ts'
import type { BrowserTrust } from './browser-trust.ts'
import type { SignIn } from './password-sign-in.ts'
import type { SignInSteps } from './sign-in-steps.ts'
import { deviceCounter, passwordCounter, type ThrottledAttempt } from './throttle.ts'
import type { FindAttemptKey, VerifyPassword } from './verify-password.ts'

interface SignInDependencies {
  readonly verifyPassword: VerifyPassword
  readonly attempt: ThrottledAttempt
  readonly findAttemptKey: FindAttemptKey
  readonly devices: Pick<AccountCookies, 'find'>
  readonly browserTrust: Pick<BrowserTrust, 'provenAt'>
  readonly steps: SignInSteps
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly now: () => Date
}

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { verifyPassword, attempt, findAttemptKey, devices, browserTrust, steps, flow, now } = dependencies
  return async (requestId, browser, { canMakePasskey, ...credentials }) => {
    // First, so that passwords cannot be tried without a pending request.
    const assessment = await flow.assess(requestId, browser, { sentAgain: true })
    const { organizationId, redirect } = assessment
    const { loginName, clientAddress } = credentials
    const context = { organizationId, clientId: redirect.client.clientId }
    const credential = { ...credentials, ...context }
    const key = await findAttemptKey(loginName, context)
    const device = devices.find(browser.deviceCookie, key.deviceKey)
    const isNewBrowser = device === undefined && key.deviceKey !== ''
    const outcome = await attempt(
      {
        freeFailures: key.maxPasswordAttempts,
        ...(device === undefined
          ? { counter: passwordCounter(key.attemptKey), clientAddress }
          : { counter: deviceCounter(device.id) }),
      },
      () =>
        verifyPassword({
          ...credential,
          throttled: false,
          announceNewBrowser: isNewBrowser,
          agent: agentText(browser.agent),
        }),
      async (verified, succeed) => {
        if ('kind' in verified) return verified
        const { account, newBrowserAnnounced, noRolesOffered } = verified
        const proof = {
          ...proofOf(account, now(), await browserTrust.provenAt(browser, account)),
          passkeyOffered: account.passkeyOffered && canMakePasskey,
          isNewBrowser: isNewBrowser && !newBrowserAnnounced,
        }
        return steps.advance(requestId, browser, proof, { assessment, noRolesOffered, succeed })
      },
    )
    if (outcome.kind === 'failed') return { kind: 'refused' }
    if (outcome.kind === 'throttled') {
      // A limit of the network does not concern the account, so it is not in its audit log.
      if (outcome.by === 'account') await verifyPassword({ ...credential, throttled: true })
      return outcome
    }
    return outcome.value
  }
}
