import { crc32 } from 'node:zlib'
import type { RandomBytes } from '@signet/token-format/identifiers'

/** A client secret: 256 random bits behind a prefix that secret scanners know. */
export function newClientSecret(random: RandomBytes): string {
  return withChecksum(`sgcs_${random(32).toString('base64url')}`)
}

/** A personal access token, made like a client secret. */
export function newPersonalAccessToken(random: RandomBytes): string {
  return withChecksum(`sgpat_${random(32).toString('base64url')}`)
}

/** CRC-32 in base64url: a scanner can tell a real one from a placeholder without asking anybody. */
function withChecksum(text: string): string {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(text))
  return text + checksum.toString('base64url')
}
