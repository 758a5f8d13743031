import { UnusableHashError } from '../unusable-hash.ts'

/** The bytes of standard base64 with or without padding. Throws UnusableHashError for what no encoder writes. */
export function readBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw new UnusableHashError('the salt and the digest of a password hash must be whole base64')
  }
  return bytes
}
