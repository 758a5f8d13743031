import { createHash } from 'node:crypto'

/** What stands for an account: the login name as typed, or a user id. */
export interface AttemptedAccount {
  readonly kind: 'password' | 'totp'
  readonly name: string
}

/** Where the failures of an account count. Hashed, because people type passwords where a name belongs. */
export function accountKey({ kind, name }: AttemptedAccount): string {
  const normalised = name.normalize('NFC').trim().toLowerCase()
  return `${kind}:${createHash('sha256').update(normalised).digest('base64url')}`
}
