import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { SERVICE_NAMES, type ServiceName, StartFailure } from '@signet/platform/process/service'
import { identityUri } from './identity-uri.ts'

/** PEM texts. */
export interface Certificates {
  /**
   * Certificate of the authority that signed the others. Its private key is thrown away, so it never signs anything
   * else.
   */
  readonly ca: string
  readonly services: Readonly<
    Record<ServiceName, { readonly certificate: string; readonly privateKey: string }>
  >
}

interface Validity {
  readonly now: Date
  readonly days: number
  /** The URIs begin with this, without a slash at the end; `DEFAULT_TRUST_PREFIX` when left out. */
  readonly trustPrefix?: string
}

export const DEFAULT_TRUST_PREFIX = 'spiffe://signet.internal'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 3_600_000
/** Clocks of two machines may differ by this much. */
const BACKDATED_MS = 300_000

/**
 * Makes an authority and, signed by it, one certificate for each service: ECDSA with P-256, the service's name as common
 * name and beside `localhost` as DNS name, `<trustPrefix>/service/<name>` as URI, for both ends of a connection (RFC 5280 section 4.2.1.12).
 */
export async function makeCertificates(validity: Validity): Promise<Certificates> {
  const keys = await newKeys()
  const authority = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name: 'CN=Signet services',
    ...period(validity),
    keys,
    signingAlgorithm: ECDSA,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const signed = SERVICE_NAMES.map(
    async (name) => [name, await serviceCertificate(name, authority, keys.privateKey, validity)] as const,
  )
  return {
    ca: pem(authority),
    services: Object.fromEntries(await Promise.all(signed)) as Certificates['services'],
  }
}

async function serviceCertificate(
  name: ServiceName,
  authority: X509Certificate,
  signingKey: webcrypto.CryptoKey,
  validity: Validity,
) {
  const keys = await newKeys()
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: `CN=${name}`,
    issuer: authority.subject,
    ...period(validity),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ECDSA,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: name },
        { type: 'dns', value: 'localhost' },
        { type: 'url', value: identityUri(validity.trustPrefix ?? DEFAULT_TRUST_PREFIX, name) },
      ]),
      await AuthorityKeyIdentifierExtension.create(authority.publicKey),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const privateKey = PemConverter.encode(
    await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  )
  return { certificate: pem(certificate), privateKey: `${privateKey}\n` }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])
}

/** RFC 5280 section 4.1.2.2: positive, hence the first bit is zero. */
function newSerialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

function period({ now, days }: Validity) {
  return {
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + days * DAY_MS),
  }
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`
}

/**
 * Writes `ca.crt` and for each service `<name>.crt` and `<name>.key`, readable by their owner only, and answers their
 * names. Makes the folder when missing. Throws StartFailure, with nothing replaced, when one of the files exists.
 */
export async function writeCertificates(
  folder: string,
  { ca, services }: Certificates,
): Promise<readonly string[]> {
  const files: [name: string, content: string][] = [['ca.crt', ca]]
  for (const [name, { certificate, privateKey }] of Object.entries(services)) {
    files.push([`${name}.crt`, certificate], [`${name}.key`, privateKey])
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // `wx` fails for a file that exists; the authority comes first, so a complete set is never begun over another.
    for (const [name, content] of files)
      await writeFile(join(folder, name), content, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new StartFailure(problemOf(error as NodeJS.ErrnoException, folder), { cause: error })
  }
  return files.map(([name]) => name)
}

function problemOf({ code, path }: NodeJS.ErrnoException, folder: string): string {
  if (code === 'EEXIST') return `${path} exists and is not replaced; choose another folder or move it away`
  return `cannot write to ${folder} (${code})`
}
