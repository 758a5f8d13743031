import { emailAddressKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import type { BrowserSession } from './browser-session.ts'

/** The names of an account on our pages. */
interface AccountNames {
  readonly name: string
  /** `userName@primaryDomain` */
  readonly loginName: string
  readonly userName: string
  /** Only a verified address, which can be used to sign in. */
  readonly email: string | undefined
  /** The account has an address that is not verified. */
  readonly isUnconfirmed: boolean
  /** The preferred language (BCP 47). */
  readonly language: string | undefined
}

/** Returns undefined for a deleted account. */
export type FindAccountNames = (userId: string) => Promise<AccountNames | undefined>

/**
 * Whether a hint names the account: its login name, its verified address, or its user name alone at an application of its
 * organization. Elsewhere a user name alone may mean a person of the application's organization.
 */
function isNameOf({ loginName, userName, email }: AccountNames, typed: string, isAtHome: boolean): boolean {
  const key = userNameKey(typed)
  return (
    key === userNameKey(loginName) ||
    (email !== undefined && emailAddressKey(typed) === emailAddressKey(email)) ||
    (isAtHome && key === userNameKey(userName))
  )
}

/** A session of this browser as the account page shows it. */
export interface AccountChoice {
  readonly sid: string
  readonly name: string
  readonly loginName: string
  /** Whether `login_hint` names this account. */
  readonly isHinted: boolean
  /** Whether an administrator acts as the person. */
  readonly isImpersonated: boolean
}

/** `login_hint`, and the organization that decides what a user name alone means. */
export interface LoginHint {
  readonly text: string
  readonly organizationId: string
}

/** The sessions to choose from: those that the hint names first, otherwise in their order. */
export async function accountChoices(
  sessions: readonly BrowserSession[],
  hint: LoginHint,
  findAccountNames: FindAccountNames,
): Promise<readonly AccountChoice[]> {
  const choices = await Promise.all(
    sessions.map(async ({ sid, userId, organizationId, impersonation }) => {
      const names = await findAccountNames(userId)
      if (names === undefined) return []
      const { name, loginName } = names
      const isHinted = hint.text !== '' && isNameOf(names, hint.text, organizationId === hint.organizationId)
      return [{ sid, name, loginName, isHinted, isImpersonated: impersonation !== undefined }]
    }),
  )
  return choices.flat().sort((one, other) => Number(other.isHinted) - Number(one.isHinted))
}
