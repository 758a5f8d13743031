import type { ReadHash } from '../read-hash.ts'
import { verifyRounds } from '../rounds/rounds-work.ts'
import { UnusableHashError } from '../unusable-hash.ts'

const SHA_CRYPT =
  /^\$([56])\$(?:rounds=([1-9]\d{0,9})\$)?([!-#%-~]{0,16})\$([./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})$/

const DEFAULT_ROUNDS = 5000
/** crypt(3) makes none with fewer. */
const LEAST_ROUNDS = 1000
/** Five seconds; common generators make 5,000 to 656,000. */
const MOST_ROUNDS = 1_000_000

/** `$5$` (SHA-256) and `$6$` (SHA-512), with or without `rounds=N$`. */
export const readShaCrypt: ReadHash = (hash) => {
  const [, kind, roundsText, salt, digest] = SHA_CRYPT.exec(hash) ?? []
  if (salt === undefined || digest === undefined) return undefined
  if (digest.length !== (kind === '5' ? 43 : 86)) return undefined
  const rounds = roundsText === undefined ? DEFAULT_ROUNDS : Number(roundsText)
  if (rounds < LEAST_ROUNDS || rounds > MOST_ROUNDS) {
    throw new UnusableHashError(
      `the rounds of sha256-crypt and sha512-crypt must be from ${LEAST_ROUNDS} to ${MOST_ROUNDS}`,
    )
  }
  const scheme = kind === '5' ? 'sha256-crypt' : 'sha512-crypt'
  return {
    format: scheme,
    parameters: { rounds },
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: rounds / 650,
    verify: verifyRounds({ scheme, salt, rounds }, digest),
  }
}
