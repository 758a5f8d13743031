import { encodeBase32 } from './base32.ts'

/** Returns `size` random bytes from a cryptographically secure source. */
export type RandomBytes = (size: number) => Buffer

/** What an identifier of an organization, user, project, application or grant may look like. */
export const IDENTIFIER = /^[A-Za-z0-9._~@+-]{1,200}$/

/** A new identifier: 26 characters, lower-case base32 of a UUIDv7 (RFC 9562 section 5.7), so ids sort by creation. */
export function newIdentifier(now: Date, random: RandomBytes): string {
  const bytes = random(16)
  bytes.writeUIntBE(now.getTime(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return encodeBase32(bytes).toLowerCase()
}

/** A random identifier that tells nothing, not even its age: 128 bits as 22 characters. */
export function newOpaqueIdentifier(random: RandomBytes): string {
  return random(16).toString('base64url')
}
