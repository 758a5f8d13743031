import type { Account, Client } from '@signet/directory-reader/views'
import type { AccessToken } from '@signet/token-format/access-token'

/** All that an answer without roles is made of. Each is replaced, never changed, when what it stands for has changed. */
interface AnswerParts {
  readonly token: AccessToken
  readonly account: Account
  readonly caller: Client
}

/** Remembers the text of the answer about a token for as long as the very same rows would make it. */
export interface AnswerMemory {
  find(parts: AnswerParts): string | undefined
  keep(parts: AnswerParts, answer: string): void
}

/** An answer goes when its token does. */
export function createAnswerMemory(): AnswerMemory {
  const answers = new WeakMap<AccessToken, AnswerParts & { readonly answer: string }>()
  return {
    find({ token, account, caller }) {
      const known = answers.get(token)
      return known?.account === account && known.caller === caller ? known.answer : undefined
    },
    keep: (parts, answer) => void answers.set(parts.token, { ...parts, answer }),
  }
}
