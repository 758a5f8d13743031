// Authenticates a signed-in user again before a change that could let another person in.
import type { Branding } from '@signet/directory-reader/branding'
import { isOfProvider } from '@signet/protocol/factor-demand'
import type { FindBranding } from '../branding/find-branding.ts'
import type { FindAccountNames } from '../sessions/account-names.ts'
import { type Browser, PageExpiredError } from '../sessions/browser.ts'
import { passkeyFactor } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { FindFactorPolicy } from '../sessions/factor-policy.ts'
import type { OwnPasskey } from '../sign-in/own-passkey.ts'
import type { CheckOwnPassword } from '../sign-in/own-password.ts'
import type { VerifyPasskey } from '../sign-in/passkey.service.ts'
import type { PasskeyChallenges } from '../sign-in/passkey-challenge.ts'
import type { Throttled, ThrottledAttempt } from '../sign-in/throttle.ts'
import {
  isTotpCode,
  RECOVERY_CODES_FACTOR,
  TOTP_FACTOR,
  tryCode,
  type VerifyCode,
} from '../sign-in/totp.service.ts'
import type { OwnDirectory } from './own-directory.ts'
import type { FindUsableFactors } from './usable-factors.ts'

export interface AccountToConfirm {
  readonly loginName: string
  readonly branding: Branding | undefined
  /** The preferred language of the person. */
  readonly language: string | undefined
  /** The password is not enough. */
  readonly needsCode: boolean
  /** The account has recovery codes. */
  readonly acceptsRecoveryCode: boolean
  /** The user signed in by an identity provider, and the account has no password. */
  readonly hasNoPassword: boolean
  /** The account has passkeys and no codes, so the password does not confirm. */
  readonly passkeyOnly: boolean
  readonly passkeys: readonly OwnPasskey[]
}

type ConfirmOutcome = { readonly kind: 'done' | 'refused' | 'expired' } | Throttled

interface Proof {
  readonly sid: string
  readonly clientAddress: string
}

/** Every method throws PageExpiredError when the session is not one of this browser. */
export interface Confirmation {
  account(browser: Browser, sid: string): Promise<AccountToConfirm>
  /**
   * Confirms with the password, and a code where the account has a TOTP secret or recovery codes; refused where it
   * has only passkeys.
   */
  byPassword(
    browser: Browser,
    proof: Proof & { readonly password: string; readonly code: string },
  ): Promise<ConfirmOutcome>
  byPasskey(browser: Browser, proof: Proof & { readonly response: string }): Promise<ConfirmOutcome>
}

interface Dependencies {
  readonly sessions: Pick<BrowserSessions, 'live' | 'confirm'>
  readonly findAccountNames: FindAccountNames
  readonly branding: Pick<FindBranding, 'ofOrganization'>
  readonly findUsableFactors: FindUsableFactors
  readonly findFactorPolicy: FindFactorPolicy
  readonly checkOwnPassword: CheckOwnPassword
  readonly verifyCode: VerifyCode
  readonly verifyPasskey: VerifyPasskey
  readonly challenges: Pick<PasskeyChallenges, 'redeem'>
  readonly attempt: ThrottledAttempt
  readonly ownDirectory: Pick<OwnDirectory, 'find'>
}

export function createConfirmation(dependencies: Dependencies): Confirmation {
  const { sessions, findAccountNames, findUsableFactors, branding, challenges } = dependencies
  const { checkOwnPassword, verifyCode, verifyPasskey, ownDirectory } = dependencies

  async function requireAccount({ sessionCookie }: Browser, sid: string) {
    const session = (await sessions.live(sessionCookie)).find((live) => live.sid === sid)
    const names = session && (await findAccountNames(session.userId))
    if (session === undefined || sessionCookie === undefined || names === undefined) {
      throw new PageExpiredError('the session has ended')
    }
    const { loginName, language } = names
    return { ...session, sessionCookie, loginName, language }
  }

  return {
    async account(browser, sid) {
      const { loginName, ...account } = await requireAccount(browser, sid)
      const factors = await findUsableFactors(account)
      const { passkeys } = factors
      const needsCode = hasCodes(factors)
      const acceptsRecoveryCode = needsCode && factors.recoveryCodes > 0
      return {
        ...{ loginName, needsCode, acceptsRecoveryCode, passkeys },
        branding: await branding.ofOrganization(account.organizationId),
        language: account.language,
        hasNoPassword:
          isOfProvider(account.factors) && !(await ownDirectory.find(account.userId)).hasPassword,
        passkeyOnly: !needsCode && hasPasskeys(factors),
      }
    },
    async byPassword(browser, { sid, password, code, clientAddress }) {
      const { userId, organizationId, loginName, sessionCookie } = await requireAccount(browser, sid)
      const factors = await findUsableFactors({ userId, organizationId })
      const needsCode = hasCodes(factors)
      if (!needsCode && hasPasskeys(factors)) return { kind: 'refused' }
      const checked = await checkOwnPassword({ userId, organizationId, loginName, password, clientAddress })
      if (checked.kind === 'throttled') return checked
      if (checked.kind === 'wrong') return { kind: 'refused' }
      if (needsCode) {
        const verify = (throttled: boolean) =>
          verifyCode({ userId, code, clientAddress, throttled, confirms: true })
        const ofCode = await tryCode({ userId, organizationId }, clientAddress, verify, dependencies)
        if (ofCode.kind !== 'accepted') return ofCode
      }
      const factor = isTotpCode(code) ? TOTP_FACTOR : RECOVERY_CODES_FACTOR
      await sessions.confirm(sessionCookie, sid, { withFactor: needsCode, ...(needsCode && { factor }) })
      return { kind: 'done' }
    },
    async byPasskey(browser, { sid, response, clientAddress }) {
      const { userId, organizationId, sessionCookie } = await requireAccount(browser, sid)
      const challenged = await challenges.redeem({ purpose: 'confirm', browser, subject: sid }, response)
      if (challenged === undefined) return { kind: 'expired' }
      const { credentialId: _, ...signed } = challenged
      const { passkeyAllowed } = await findUsableFactors({ userId, organizationId })
      // With the person the policy for second factors decides, without one that for sign-ins: either is enough.
      const owner = passkeyAllowed ? { userId } : {}
      const verified = await verifyPasskey({
        ...{ ...signed, ...owner, clientAddress },
        ...{ throttled: false, confirms: true },
      })
      if (verified?.kind !== 'verified' || verified.account.userId !== userId) return { kind: 'refused' }
      const factor = passkeyFactor(verified.passkeyId)
      await sessions.confirm(sessionCookie, sid, { withFactor: true, factor })
      return { kind: 'done' }
    },
  }
}

/** Recovery codes stand in for a second factor, and are none themselves. */
function hasCodes(factors: Awaited<ReturnType<FindUsableFactors>>): boolean {
  return factors.totp || (factors.recoveryCodes > 0 && hasPasskeys(factors))
}

/** Whether there is a passkey, also one that does not count: the password alone confirms nothing then. */
const hasPasskeys = ({ passkeys, anyPasskey }: Awaited<ReturnType<FindUsableFactors>>) =>
  anyPasskey || passkeys.length > 0
