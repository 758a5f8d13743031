import type { X509Certificate } from 'node:crypto'
import { id_RSASSA_PSS, id_sha256, id_sha384, id_sha512, RsaSaPssParams } from '@peculiar/asn1-rsa'
import { AsnParser } from '@peculiar/asn1-schema'
import {
  type AttributeValue,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509'
import { CERTIFICATE_NAMES, type CertificateNameKind } from '@signet/protocol/certificate-subject'
import { canonicalName } from '@signet/protocol/distinguished-name'

/** The names of a certificate in their canonical forms. */
export type CertificateNames = Readonly<Record<CertificateNameKind, readonly string[]>>

/** Reads the names by which a client may be known: its subject, and the entries of subjectAltName of four kinds. */
export function readNames(certificate: X509Certificate): CertificateNames {
  const { subject, extensions = [] } = AsnParser.parse(certificate.raw, Certificate).tbsCertificate
  const extension = extensions.find(({ extnID }) => extnID === id_ce_subjectAltName)
  const entries = extension ? [...AsnParser.parse(extension.extnValue, SubjectAlternativeName)] : []
  const relativeNames = [...subject].map((attributes) =>
    [...attributes].map(({ type, value }) => ({ type, value: textOf(value) })),
  )
  const { tlsClientAuthSanDns, tlsClientAuthSanUri, tlsClientAuthSanIp, tlsClientAuthSanEmail } =
    CERTIFICATE_NAMES
  const canonical = (
    rule: { readonly canonical: (value: string) => string | undefined },
    values: readonly (string | undefined)[],
  ) => values.flatMap((value) => (value === undefined ? [] : (rule.canonical(value) ?? [])))
  return {
    // An empty subject is no name.
    subjectDn: relativeNames.length === 0 ? [] : [canonicalName(relativeNames.toReversed())],
    dns: canonical(
      tlsClientAuthSanDns,
      entries.map(({ dNSName }) => dNSName),
    ),
    uri: canonical(
      tlsClientAuthSanUri,
      entries.map(({ uniformResourceIdentifier }) => uniformResourceIdentifier),
    ),
    ip: canonical(
      tlsClientAuthSanIp,
      entries.map(({ iPAddress }) => iPAddress),
    ),
    email: canonical(
      tlsClientAuthSanEmail,
      entries.map(({ rfc822Name }) => rfc822Name),
    ),
  }
}

function textOf(value: AttributeValue): string {
  const { anyValue } = value
  return anyValue === undefined ? value.toString() : `#${Buffer.from(anyValue).toString('hex')}`
}

/** The limits that a certificate has by its extensions (RFC 5280 section 4.2). */
export interface CertificateLimits {
  /** The most authorities between it and a client; undefined: any number. */
  readonly pathLength: number | undefined
  /** Whether its extended key usage, if it has one, allows the authentication of clients. */
  readonly isForClients: boolean
  /** Whether its key usage, if it has one, allows signatures. */
  readonly maySign: boolean
  /** OIDs of critical extensions that are not understood here, and of name constraints, which bind without being critical too. */
  readonly unknownCritical: readonly string[]
}

const STRONG_SIGNATURES = /sha-?(256|384|512)|ed25519|ed448/i
const STRONG_HASHES: readonly string[] = [id_sha256, id_sha384, id_sha512]

/**
 * Whether the signature of a certificate is over SHA-2, or of EdDSA. RSASSA-PSS has the hash in its parameters, and SHA-1 where
 * they have none (RFC 4055 section 3.1).
 */
export function hasStrongHash({ raw, signatureAlgorithm: name = '' }: X509Certificate): boolean {
  const { algorithm, parameters } = AsnParser.parse(raw, Certificate).signatureAlgorithm
  if (algorithm !== id_RSASSA_PSS) return STRONG_SIGNATURES.test(name)
  if (!parameters) return false
  return STRONG_HASHES.includes(AsnParser.parse(parameters, RsaSaPssParams).hashAlgorithm.algorithm)
}

const ANY_USAGE = '2.5.29.37.0'
const UNDERSTOOD: readonly string[] = [
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
]

export function readLimits(certificate: X509Certificate): CertificateLimits {
  const { extensions = [] } = AsnParser.parse(certificate.raw, Certificate).tbsCertificate
  const extensionOf = (oid: string) => extensions.find(({ extnID }) => extnID === oid)?.extnValue
  const constraints = extensionOf(id_ce_basicConstraints)
  const usage = extensionOf(id_ce_keyUsage)
  const extended = extensionOf(id_ce_extKeyUsage)
  const usages = extended && [...AsnParser.parse(extended, ExtendedKeyUsage)]
  return {
    pathLength: constraints && AsnParser.parse(constraints, BasicConstraints).pathLenConstraint,
    isForClients: usages === undefined || usages.includes(id_kp_clientAuth) || usages.includes(ANY_USAGE),
    maySign:
      usage === undefined ||
      (AsnParser.parse(usage, KeyUsage).toNumber() & KeyUsageFlags.digitalSignature) !== 0,
    unknownCritical: extensions
      .filter(({ extnID, critical }) =>
        critical ? !UNDERSTOOD.includes(extnID) : extnID === id_ce_nameConstraints,
      )
      .map(({ extnID }) => extnID),
  }
}
