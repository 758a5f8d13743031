/** PEM texts of one process of the suite, as they are now; the certificate's common name is its service name. */
export interface TlsIdentity {
  readonly ca: Buffer
  readonly certificate: Buffer
  readonly privateKey: Buffer
  /** Calls back whenever the texts have changed, until the returned function is called. Absent: they never do. */
  readonly onRenewal?: (listener: () => void) => () => void
}
