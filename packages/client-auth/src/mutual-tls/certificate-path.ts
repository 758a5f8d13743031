import type { X509Certificate } from 'node:crypto'
import { hasStrongHash, readLimits } from './read-certificate.ts'

/** The authorities above a certificate, its issuer first and a trusted one last. */
export type CertificatePath = readonly X509Certificate[]

/** Authorities between a client and a trusted one. */
const MOST_BETWEEN = 3
const LEAST_RSA_BITS = 2048

/**
 * Finds a path from the certificate of a client to one of `anchors` (RFC 5280 section 6), over `others` that came with it, or
 * returns the rule that is broken, as a sentence about `it`. Times are left to the caller, so that a path can be kept. OpenSSL
 * compares names and verifies signatures. A certificate with a critical extension that is not understood, such as name
 * constraints, is in no path.
 */
export function findPath(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): CertificatePath | string {
  if (anchors.length === 0) return 'no authority of clients is configured; see SIGNET_MTLS_CLIENT_CA'
  const { isForClients, maySign, unknownCritical } = readLimits(certificate)
  if (!isForClients) return 'its extended key usage does not have clientAuth'
  if (!maySign) return 'its key usage does not have digitalSignature'
  if (unknownCritical.length > 0) return 'it has a critical extension that is not understood'
  if (isWeak(certificate)) return `its key has fewer than ${LEAST_RSA_BITS} bits`
  // Each of the others is tried once, however many of them have one name: a caller chooses them.
  const untried = new Set(others)
  let ends: X509Certificate[][] = [[certificate]]
  for (let between = 0; between <= MOST_BETWEEN; between += 1) {
    const longer: X509Certificate[][] = []
    for (const path of ends) {
      const last = path.at(-1) as X509Certificate
      const anchor = anchors.find((candidate) => isIssuer(candidate, last, between))
      if (anchor !== undefined) return [...path.slice(1), anchor]
      for (const candidate of untried) {
        if (!candidate.checkIssued(candidate) && last.checkIssued(candidate)) {
          untried.delete(candidate)
          if (isIssuer(candidate, last, between)) longer.push([...path, candidate])
        }
      }
    }
    ends = longer
  }
  return 'no configured authority signed it, and no chain to one came with it'
}

/** Whether an authority signed a certificate and was allowed to, with `between` authorities below it. */
function isIssuer(issuer: X509Certificate, subject: X509Certificate, between: number): boolean {
  if (!issuer.ca || !subject.checkIssued(issuer) || isWeak(issuer)) return false
  if (!hasStrongHash(subject) || !subject.verify(issuer.publicKey)) return false
  const { pathLength = MOST_BETWEEN, isForClients, unknownCritical } = readLimits(issuer)
  return pathLength >= between && isForClients && unknownCritical.length === 0
}

function isWeak({ publicKey }: X509Certificate): boolean {
  const { modulusLength = LEAST_RSA_BITS } = publicKey.asymmetricKeyDetails ?? {}
  return modulusLength < LEAST_RSA_BITS
}
