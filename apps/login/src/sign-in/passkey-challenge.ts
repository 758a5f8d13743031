// The challenges of WebAuthn ceremonies (Level 3 section 13.4.3). A challenge contains its time and a MAC over its
// purpose, browser and subject, so that nothing is stored for pages that are only opened. A used one is stored until it
// expires.
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { z } from 'zod'
import { type Browser, hashOf, type RandomBytes } from '../sessions/browser.ts'

/** The pages with a ceremony. A challenge of one is invalid on all others. */
export const PASSKEY_PURPOSES = ['sign-in', 'second-factor', 'enrolment', 'offer', 'add', 'confirm'] as const

export type PasskeyPurpose = (typeof PASSKEY_PURPOSES)[number]

/** The browser, and the id of the pending request or of the session, that a challenge is for. */
export interface ChallengeUse {
  readonly purpose: PasskeyPurpose
  readonly browser: Browser
  readonly subject: string
}

/** A response of an authenticator to an unused challenge of this service. Its signature is not verified. */
export interface ChallengedResponse {
  /** Base64url. */
  readonly credentialId: string
  readonly challenge: string
  /** The JSON text of the browser. */
  readonly response: string
}

export interface PasskeyChallenges {
  issue(use: ChallengeUse): string
  /**
   * Returns the response if its challenge was issued for this use within the last five minutes and was not used before,
   * by any replica; undefined otherwise.
   */
  redeem(use: ChallengeUse, response: string): Promise<ChallengedResponse | undefined>
}

/** Stores the used challenges. */
export interface UsedChallenges {
  /** Claims a challenge: exactly one of concurrent calls for a hash returns true. */
  claim(challengeHash: string): Promise<boolean>
}

interface Options {
  readonly masterKeys: readonly Buffer[]
  readonly used: UsedChallenges
  readonly now: () => Date
  readonly random: RandomBytes
}

const CHALLENGE_SECONDS = 5 * 60

const TIME_BYTES = 6
const RANDOM_BYTES = 16
const MAC_BYTES = 32

const answer = z.object({ id: z.string().min(1), response: z.object({ clientDataJSON: z.string() }) })
const clientData = z.object({ challenge: z.string() })

export function createPasskeyChallenges({ masterKeys, used, now, random }: Options): PasskeyChallenges {
  const mac = createMasterKeyMac(masterKeys, 'signet passkey challenge')
  const textOf = ({ purpose, browser, subject }: ChallengeUse, head: Buffer) =>
    `${purpose}\n${hashOf(browser.id)}\n${subject}\n${head.toString('base64url')}`

  function isOwn(use: ChallengeUse, challenge: string): boolean {
    const bytes = Buffer.from(challenge, 'base64url')
    if (bytes.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
      return false
    const head = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES)
    const ageMs = now().getTime() - head.readUIntBE(0, TIME_BYTES)
    if (ageMs < 0 || ageMs > CHALLENGE_SECONDS * 1000) return false
    return mac.matches(textOf(use, head), bytes.subarray(head.length))
  }

  return {
    issue(use) {
      const time = Buffer.alloc(TIME_BYTES)
      time.writeUIntBE(now().getTime(), 0, TIME_BYTES)
      const head = Buffer.concat([time, random(RANDOM_BYTES)])
      return Buffer.concat([head, mac.of(textOf(use, head))]).toString('base64url')
    },
    async redeem(use, response) {
      const { id, response: inner } = answer.safeParse(json(response)).data ?? {}
      const data = inner && json(Buffer.from(inner.clientDataJSON, 'base64url').toString())
      const challenge = clientData.safeParse(data).data?.challenge
      if (id === undefined || challenge === undefined || !isOwn(use, challenge)) return undefined
      return (await used.claim(hashOf(challenge))) ? { credentialId: id, challenge, response } : undefined
    },
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
