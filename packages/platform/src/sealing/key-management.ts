/** A key management service refused, or could not be asked. The message says what to do and holds no secret. */
export class KeyManagementError extends Error {
  override readonly name = 'KeyManagementError'
  /** Whether it gave no answer, or one that says that it is sealed, starting or overloaded. */
  readonly isAway: boolean

  constructor(message: string, options: ErrorOptions & { readonly isAway?: boolean } = {}) {
    super(message, options)
    this.isAway = options.isAway ?? false
  }
}

/** Encrypts short secrets under keys that never leave a service or a device. */
export interface KeyManagement {
  /** Returns a text without commas and spaces. `purpose` is authenticated. Rejects with KeyManagementError. */
  wrap(key: string, secret: Buffer, purpose: string): Promise<string>
  /** Rejects with KeyManagementError, also for another purpose than that of `wrap`. */
  unwrap(key: string, wrapped: string, purpose: string): Promise<Buffer>
}
