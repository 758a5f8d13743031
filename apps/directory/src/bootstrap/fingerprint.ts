import { createHash } from 'node:crypto'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { canonicalJson } from './canonical-json.ts'
import type { DesiredField } from './desired-object.ts'

/** Tells whether a field of the file still says what it said when it was last applied. */
export interface Fingerprints {
  /** Secrets are keyed with the newest master key. */
  of(field: DesiredField): Buffer
  /** Also true for a fingerprint made under an older master key. */
  matches(field: DesiredField, stored: Buffer): boolean
}

export function createFingerprints(masterKeys: readonly Buffer[]): Fingerprints {
  const keyed = createMasterKeyMac(masterKeys, 'signet bootstrap fingerprint')
  const plain = (field: DesiredField) => createHash('sha256').update(canonicalJson(field.value)).digest()
  return {
    of: (field) => (field.secret ? keyed.of(canonicalJson(field.value)) : plain(field)),
    matches: (field, stored) =>
      field.secret ? keyed.matches(canonicalJson(field.value), stored) : plain(field).equals(stored),
  }
}
