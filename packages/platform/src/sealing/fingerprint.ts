import { createHash } from 'node:crypto'

/** Names a master key without giving it away: 64 bits of its SHA-256. */
export function fingerprintOf(masterKey: Buffer): string {
  return createHash('sha256').update('signet master key\0').update(masterKey).digest('hex').slice(0, 16)
}
