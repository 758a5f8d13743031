import { createHash, createHmac, hkdfSync } from 'node:crypto'
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
  const subkeys = masterKeys.map((key) =>
    Buffer.from(hkdfSync('sha256', key, '', 'signet bootstrap fingerprint', 32)),
  )
  const keyed = (field: DesiredField) =>
    subkeys.map((key) => createHmac('sha256', key).update(canonicalJson(field.value)).digest())
  const plain = (field: DesiredField) => [createHash('sha256').update(canonicalJson(field.value)).digest()]
  const all = (field: DesiredField) => (field.secret ? keyed(field) : plain(field))
  return {
    of(field) {
      const [newest] = all(field)
      if (newest === undefined) throw new Error('fingerprints of secrets need a master key')
      return newest
    },
    matches: (field, stored) => all(field).some((fingerprint) => fingerprint.equals(stored)),
  }
}
