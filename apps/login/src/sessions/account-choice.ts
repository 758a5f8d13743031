import { type FindAccountNames, isCalled } from './account-names.ts'
import type { BrowserSession } from './browser-session.ts'

/** A session of this browser as the person sees it. */
export interface AccountChoice {
  readonly sid: string
  readonly name: string
  readonly loginName: string
  /** Whether `login_hint` means this account. */
  readonly isHinted: boolean
}

/** The sessions to choose from: those that the hint means first, otherwise in their order. */
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
      return [{ sid, name, loginName, isHinted: loginHint !== '' && isCalled(names, loginHint) }]
    }),
  )
  return choices.flat().sort((one, other) => Number(other.isHinted) - Number(one.isHinted))
}
