/**
 * Seals the secrets of keys for storage. A key management service fits behind it too: both directions are
 * asynchronous, and the sealed text names the key that opens it. `docs/runbooks/rotate-signing-keys.md` describes the
 * rotation.
 */
export interface SecretSealer {
  /** Answers a printable text; `context` must be the same when it is opened. */
  seal(secret: Buffer, context: string): Promise<string>
  /** Rejects with UnknownMasterKeyError when the text was sealed under a key that this sealer does not hold. */
  open(sealed: string, context: string): Promise<Buffer>
  /** Whether `seal` would seal it under the same master key today. */
  isNewest(sealed: string): boolean
}

/** The sealed text names a master key that is not in the list, or does not belong to this sealer at all. */
export class UnknownMasterKeyError extends Error {
  readonly fingerprint: string

  constructor(fingerprint: string) {
    super(`sealed under the master key ${fingerprint}, which is not in the list`)
    this.name = 'UnknownMasterKeyError'
    this.fingerprint = fingerprint
  }
}
