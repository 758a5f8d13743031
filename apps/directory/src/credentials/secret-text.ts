import { crc32 } from 'node:zlib'
import type { RandomBytes } from '@signet/tokens/identifiers'

export function newPersonalAccessToken(random: RandomBytes): string {
  return newSecretText('sgpat_', random)
}

export function newClientSecret(random: RandomBytes): string {
  return newSecretText('sgcs_', random)
}

/**
 * 256 random bits behind a prefix that secret scanners know, and a CRC-32 by which they recognize a
 * placeholder offline.
 */
function newSecretText(prefix: string, random: RandomBytes): string {
  const secret = `${prefix}${random(32).toString('base64url')}`
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(secret))
  return secret + checksum.toString('base64url')
}
