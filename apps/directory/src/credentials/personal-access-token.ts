import { crc32 } from 'node:zlib'
import type { RandomBytes } from '@signet/token-format/identifiers'

/**
 * A personal access token: 256 random bits behind a prefix that secret scanners know, and a CRC-32 by which they tell
 * a real one from a placeholder without asking anybody.
 */
export function newPersonalAccessToken(random: RandomBytes): string {
  const token = `sgpat_${random(32).toString('base64url')}`
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(token))
  return token + checksum.toString('base64url')
}
