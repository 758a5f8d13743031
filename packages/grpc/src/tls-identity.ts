/** PEM texts of one process of the suite, as they are now. */
export interface TlsIdentity {
  readonly ca: Buffer
  readonly certificate: Buffer
  readonly privateKey: Buffer
  /** A caller is the service that the URI of its certificate names under this prefix. Absent: its common name counts. */
  readonly trustPrefix?: string
  /** Calls back whenever the texts have changed, until the returned function is called. Absent: they never do. */
  readonly onRenewal?: (listener: () => void) => () => void
}
