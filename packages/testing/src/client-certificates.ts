import 'reflect-metadata'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  type JsonGeneralName,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  X509CrlGenerator,
} from '@peculiar/x509'

/** A certificate with its key, as a client or a server presents it. */
export interface OwnCertificate {
  /** PEM. */
  readonly cert: string
  /** PEM. */
  readonly key: string
  readonly certificate: X509Certificate
  /** `x5t#S256`, computed from the DER. */
  readonly thumbprint: string
}

export interface Issued {
  readonly subject?: string
  readonly names?: readonly JsonGeneralName[]
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** The OIDs of an extended key usage. */
  readonly extendedUsages?: readonly string[]
  /** The bits of a key usage. */
  readonly keyUsages?: number
  /** An extension that has no meaning. */
  readonly unknownExtension?: 'critical' | 'optional'
  /** Name constraints that are not critical, for the one DNS name `a`. */
  readonly nameConstraints?: true
  /** An extended key usage that is no DER. */
  readonly isBroken?: true
  /** Present in a certificate of an authority. */
  readonly authority?: { readonly pathLength?: number | undefined } | undefined
}

/** An authority, which issues certificates of clients, of servers and of authorities below it. */
export interface CertificateAuthority extends OwnCertificate {
  issue(issued?: Issued): Promise<OwnCertificate>
  below(issued?: Issued): Promise<CertificateAuthority>
  /** Returns a revocation list in PEM format with these certificates. */
  revoke(certificates: readonly OwnCertificate[]): Promise<string>
}

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

/** RSASSA-PSS over a hash, of keys of 2,048 bits. */
export const rsaPss = (hash: 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512') => ({
  ...{ name: 'RSA-PSS', hash, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  saltLength: 20,
})

type Algorithm = typeof ECDSA | ReturnType<typeof rsaPss>
type KeyPair = Awaited<ReturnType<typeof newKeys>>

async function newKeys(algorithm: Algorithm = ECDSA) {
  const usages = ['sign', 'verify'] as const
  const keys =
    'hash' in algorithm && algorithm.name === 'RSA-PSS'
      ? await crypto.subtle.generateKey(algorithm, true, usages)
      : await crypto.subtle.generateKey(ECDSA, true, usages)
  return { ...keys, algorithm }
}

/** An authority that signs with ECDSA, or with another algorithm. */
export async function createCertificateAuthority(
  subject = 'CN=Test authority',
  algorithm: Algorithm = ECDSA,
): Promise<CertificateAuthority> {
  const keys = await newKeys(algorithm)
  return authority(keys, await own(keys, { subject, authority: {} }), subject)
}

/** A certificate that its own key signed. */
export async function createSelfSigned(issued: Issued = {}): Promise<OwnCertificate> {
  return own(await newKeys(), issued)
}

function authority(keys: KeyPair, certificate: OwnCertificate, name: string): CertificateAuthority {
  const issuer = { name, key: keys.privateKey, algorithm: keys.algorithm }
  return {
    ...certificate,
    issue: async (issued = {}) => own(await newKeys(), issued, issuer),
    async below({ subject = 'CN=Intermediate', ...issued } = {}) {
      const below = await newKeys()
      return authority(below, await own(below, { authority: {}, ...issued, subject }, issuer), subject)
    },
    async revoke(certificates) {
      const list = await X509CrlGenerator.create({
        issuer: name,
        thisUpdate: new Date(Date.now() - DAY_MS),
        nextUpdate: new Date(Date.now() + DAY_MS),
        entries: certificates.map((revoked) => ({ serialNumber: revoked.certificate.serialNumber })),
        signingKey: keys.privateKey,
        signingAlgorithm: keys.algorithm,
      })
      return PemConverter.encode(list.rawData, 'X509 CRL')
    },
  }
}

async function own(
  keys: KeyPair,
  { subject = 'CN=client', ...issued }: Issued,
  issuer?: { readonly name: string; readonly key: KeyPair['privateKey']; readonly algorithm: Algorithm },
): Promise<OwnCertificate> {
  const made = await X509CertificateGenerator.create({
    serialNumber: `40${randomBytes(15).toString('hex')}`,
    subject,
    issuer: issuer?.name ?? subject,
    notBefore: issued.notBefore ?? new Date(Date.now() - DAY_MS),
    notAfter: issued.notAfter ?? new Date(Date.now() + DAY_MS),
    publicKey: keys.publicKey,
    signingKey: issuer?.key ?? keys.privateKey,
    signingAlgorithm: issuer?.algorithm ?? keys.algorithm,
    extensions: extensionsOf(issued),
  })
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  const cert = made.toString('pem')
  return {
    cert,
    key,
    certificate: new X509Certificate(cert),
    thumbprint: createHash('sha256').update(Buffer.from(made.rawData)).digest('base64url'),
  }
}

function extensionsOf({
  names,
  extendedUsages,
  keyUsages,
  unknownExtension,
  nameConstraints,
  isBroken,
  authority,
}: Issued): Extension[] {
  return [
    ...(names ? [new SubjectAlternativeNameExtension([...names])] : []),
    ...(authority ? [new BasicConstraintsExtension(true, authority.pathLength, true)] : []),
    ...(extendedUsages ? [new ExtendedKeyUsageExtension([...extendedUsages])] : []),
    ...(isBroken ? [new Extension('2.5.29.37', false, new Uint8Array([4, 2]))] : []),
    ...(keyUsages === undefined ? [] : [new KeyUsagesExtension(keyUsages, true)]),
    ...(unknownExtension
      ? [new Extension('1.2.3.4', unknownExtension === 'critical', new Uint8Array([5, 0]))]
      : []),
    ...(nameConstraints ? [new Extension('2.5.29.30', false, Buffer.from('3007a0053003820161', 'hex'))] : []),
  ]
}
