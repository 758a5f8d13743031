import { createHash } from 'node:crypto'

/** The counter of an account, or of a login name without one: the directory says which. */
export const passwordCounter = (attemptKey: string) => `password:${attemptKey}`

/** The counter of one browser that signed an account in before. */
export const deviceCounter = (device: string) => `device:${hash(device)}`

export const totpCounter = (userId: string) => `totp:${hash(userId)}`

/** The counter of a network, under a name that does not tell its address. */
export const networkCounter = (network: string) => `network:${network}`

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
