import { hash } from 'node:crypto'
import type { AccountMemory, AccountMemoryBound } from '@signet/directory-reader/account-memory'
import type { Account, Client } from '@signet/directory-reader/views'
import type { Check } from '@signet/revocation-reader/revocation-reader'
import type { KnownToken } from './remembered-tokens.ts'

/** A cached response for an active token, and the check whether the token has ended since. */
export interface MadeAnswer {
  readonly text: string
  /** Seconds. */
  readonly expiresAt: number
  readonly hasEnded: Check
  readonly projectId: string | null
}

/** Of an answer besides its text: its key, how to ask whether its token has ended, its place. */
const BYTES_BESIDES = 900
/** For two thousand different tokens a second within the last minute. */
const MOST_BYTES = 160_000_000

/** How much of a heap of so many bytes answers may take: a quarter, and no more than is of use. */
export function boundOfAnswers(heapBytes: number): AccountMemoryBound<MadeAnswer> {
  return {
    most: Math.min(MOST_BYTES, Math.floor(heapBytes / 4)),
    weightOf: ({ text }) => BYTES_BESIDES + text.length,
  }
}

/**
 * Caches serialized responses without roles until the account changes. Caching the text takes a fifth of the memory
 * of the decoded token.
 */
export class AnswerMemory {
  readonly #answers: AccountMemory<MadeAnswer>

  constructor(answers: AccountMemory<MadeAnswer>) {
    this.#answers = answers
  }

  find(token: string, caller: Client): MadeAnswer | undefined {
    const made = this.#answers.find(keyOf(token, caller))
    return made?.projectId === caller.projectId ? made : undefined
  }

  keep(
    text: string,
    madeOf: { readonly value: string; readonly known: KnownToken; readonly account: Account },
    caller: Client,
  ): void {
    const { value, account, known } = madeOf
    const { token, hasEnded, readAt } = known
    const made = { text, expiresAt: token.expiresAt, hasEnded, projectId: caller.projectId }
    this.#answers.keep(keyOf(value, caller), made, { account, readAt })
  }
}

/** The length separates id and token, so that no caller gets the response of another caller's token. */
function keyOf(token: string, { clientId }: Client): string {
  return hash('sha256', `${clientId.length} ${clientId}${token}`, 'base64url')
}
