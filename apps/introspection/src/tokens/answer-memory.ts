import type { Account, Client } from '@signet/directory-reader/views'

/** All beside the token that an answer without roles is made of. Each is replaced, never changed, when what it stands for has changed. */
interface AnswerParts {
  readonly account: Account
  readonly caller: Client
}

/** Remembers the text of the last answer about one token for as long as the very same rows would make it. */
export class AnswerMemory {
  #made: (AnswerParts & { readonly answer: string }) | undefined

  find({ account, caller }: AnswerParts): string | undefined {
    const made = this.#made
    return made?.account === account && made.caller === caller ? made.answer : undefined
  }

  keep({ account, caller }: AnswerParts, answer: string): void {
    this.#made = { account, caller, answer }
  }
}
