import type { BrowserSession } from './browser-session.ts'

/** The names of an account on our pages. */
interface AccountNames {
  readonly name: string
  /** `userName@primaryDomain` */
  readonly loginName: string
  readonly userName: string
  /** Only a verified address, which can be used to sign in. */
  readonly email: string | undefined
}

/** Returns undefined for a deleted account. */
export type FindAccountNames = (userId: string) => Promise<AccountNames | undefined>

/** Whether the text entered at the sign-in page is a name of the account. */
function isNameOf({ loginName, userName, email }: AccountNames, typed: string): boolean {
  const wanted = typed.normalize('NFC').trim().toLowerCase()
  return [loginName, userName, email].some((name) => name?.normalize('NFC').toLowerCase() === wanted)
}

/** A session of this browser as the account page shows it. */
export interface AccountChoice {
  readonly sid: string
  readonly name: string
  readonly loginName: string
  /** Whether `login_hint` names this account. */
  readonly isHinted: boolean
}

/** The sessions to choose from: those that the hint names first, otherwise in their order. */
export async function accountChoices(
  sessions: readonly BrowserSession[],
  loginHint: string,
  findAccountNames: FindAccountNames,
): Promise<readonly AccountChoice[]> {
  const choices = await Promise.all(
    sessions.map(async ({ sid, userId }) => {
      const names = await findAccountNames(userId)
      if (names === undefined) return []
      const { name, loginName } = names
      return [{ sid, name, loginName, isHinted: loginHint !== '' && isNameOf(names, loginHint) }]
    }),
  )
  return choices.flat().sort((one, other) => Number(other.isHinted) - Number(one.isHinted))
}
