import { createHash } from 'node:crypto'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import type { DeclaredField } from './declared-resources.ts'

/** Tells whether a field of the file still says what it said when it was last applied. */
export function createFingerprints(masterKeys: readonly Buffer[]) {
  const keyed = createMasterKeyMac(masterKeys, 'signet bootstrap fingerprint')
  const plain = (field: DeclaredField) => createHash('sha256').update(canonicalJson(field.value)).digest()
  return {
    /** Secrets are keyed with the newest master key. */
    of: (field: DeclaredField) => (field.secret ? keyed.of(canonicalJson(field.value)) : plain(field)),
    /** Compares fingerprints, also with one made under an older master key. */
    matches: (field: DeclaredField, stored: Buffer) =>
      field.secret ? keyed.matches(canonicalJson(field.value), stored) : plain(field).equals(stored),
  }
}

/** JSON with sorted keys: the order of keys in the file makes no difference. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
