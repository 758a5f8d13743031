import { CRYPT64 } from '../crypt-base64.ts'
import type { ReadHash } from '../read-hash.ts'
import { verifyRounds } from '../rounds/rounds-work.ts'
import { UnusableHashError } from '../unusable-hash.ts'

const PHPASS = /^\$[PH]\$([./0-9A-Za-z])([!-~]{8})([./0-9A-Za-z]{22})$/
const DRUPAL7 = /^\$S\$([./0-9A-Za-z])([!-~]{8})([./0-9A-Za-z]{43})$/

/** Rounds are a power of two: no program of these makes fewer than the least; the most take one to five seconds. */
const LEAST_LOG2 = 7
const MOST_LOG2 = 20

/** phpass as WordPress (`$P$`) and phpBB (`$H$`) have it, and its SHA-512 relative of Drupal 7 (`$S$`). */
export const readPhpHash: ReadHash = (hash) =>
  roundsHash('phpass', PHPASS.exec(hash)) ?? roundsHash('drupal7', DRUPAL7.exec(hash))

function roundsHash(scheme: 'phpass' | 'drupal7', match: RegExpExecArray | null) {
  const [, roundsCharacter, salt, digest] = match ?? []
  if (roundsCharacter === undefined || salt === undefined || digest === undefined) return undefined
  const log2 = CRYPT64.indexOf(roundsCharacter)
  if (log2 < LEAST_LOG2 || log2 > MOST_LOG2) {
    throw new UnusableHashError(`the rounds of ${scheme} must be from 2^${LEAST_LOG2} to 2^${MOST_LOG2}`)
  }
  return {
    format: scheme,
    parameters: { log2 },
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: 2 ** log2 / 500,
    verify: verifyRounds({ scheme, salt, rounds: 2 ** log2 }, digest),
  }
}
