// The keys of Signet at a SAML provider: a pair decrypts assertions and signs requests. A provider has none until a setting needs it.
import 'reflect-metadata'
import { createPrivateKey, createPublicKey, webcrypto, X509Certificate } from 'node:crypto'
import {
  BasicConstraintsExtension,
  type X509CertificateCreateSelfSignedParams,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { Clock } from '@signet/platform/runtime/clock'
import { openValue, type RandomBytes, sealValue } from '@signet/platform/sealing/sealed-value'
import { publicKeyProblem } from '@signet/protocol/public-key'
import { MasterKeyUnknownError, ownKeysPurpose } from '../sealing/purposes.ts'
import type { StoredProvider } from './identity-provider.ts'

/** The key that is in use, and the one that replaces it. */
export const MOST_OWN_KEYS = 2

const ALGORITHM = {
  ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 3_072 },
  publicExponent: new Uint8Array([1, 0, 1]),
}
const BACKDATED_MS = 300_000
const LIFETIME_MS = 3_650 * 86_400_000
const SERIAL_NUMBER_BYTES = 16

export interface OwnKey {
  /** X.509, DER in base64. */
  readonly certificate: string
  /** PKCS #8, DER in base64. */
  readonly privateKey: string
}

/** The library has the type of the DOM. */
type GivenKeys = X509CertificateCreateSelfSignedParams['keys']

/**
 * Makes a key pair with a certificate that it signs itself: providers compare it and follow no chain. It takes half a second, so calls of
 * the management API make it before their transaction.
 */
export async function makeOwnKey(now: Date, random: RandomBytes): Promise<OwnKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const serialNumber = random(SERIAL_NUMBER_BYTES)
  // RFC 5280 section 4.1.2.2: a positive number without zeros in front.
  serialNumber[0] = ((serialNumber[0] ?? 0) & 0x3f) | 0x40
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber.toString('hex'),
    name: 'CN=Signet',
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + LIFETIME_MS),
    ...{ keys: keys as GivenKeys, signingAlgorithm: ALGORITHM },
    extensions: [new BasicConstraintsExtension(false, undefined, true)],
  })
  const privateKey = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    certificate: Buffer.from(certificate.rawData).toString('base64'),
    privateKey: Buffer.from(privateKey).toString('base64'),
  }
}

/** Whether a text is a certificate with the key that follows, which decrypts here. */
export function isOwnKey({ certificate, privateKey }: OwnKey): boolean {
  try {
    const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })
    const { publicKey, raw } = new X509Certificate(Buffer.from(certificate, 'base64'))
    const isRsa = publicKey.asymmetricKeyType === 'rsa' && publicKeyProblem(publicKey) === undefined
    return isRsa && createPublicKey(key).equals(publicKey) && raw.toString('base64') === certificate
  } catch {
    return false
  }
}

interface Sealing {
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
}

export const sealOwnKeys = (
  id: string,
  privateKeys: readonly string[],
  { masterKeys, random }: Sealing,
): Buffer | null =>
  privateKeys.length === 0
    ? null
    : sealValue(masterKeys, Buffer.from(privateKeys.join('\n')), ownKeysPurpose(id), random)

/** The private keys of a provider, in the order of its certificates. Throws MasterKeyUnknownError. */
export function openOwnKeys(
  id: string,
  sealed: Buffer | null,
  masterKeys: readonly Buffer[],
): readonly string[] {
  if (sealed === null) return []
  const opened = openValue(masterKeys, sealed, ownKeysPurpose(id))
  if (opened === undefined) throw new MasterKeyUnknownError(`the keys of identity provider ${id}`)
  return opened.toString('utf8').split('\n')
}

type Keyed = Pick<
  StoredProvider,
  | 'assertionEncryption'
  | 'backchannelLogout'
  | 'ownCertificates'
  | 'rpInitiatedLogout'
  | 'sealedOwnKeys'
  | 'signAuthnRequests'
  | 'sloUrl'
>

export const NO_OWN_KEYS = { ownCertificates: [], sealedOwnKeys: null } as const

export const needsOwnKey = ({
  assertionEncryption,
  signAuthnRequests,
  sloUrl,
  rpInitiatedLogout,
  backchannelLogout,
}: Omit<Keyed, 'ownCertificates' | 'sealedOwnKeys'>): boolean =>
  assertionEncryption !== 'none' ||
  signAuthnRequests ||
  // Messages of a sign-out are always signed.
  (sloUrl !== null && (rpInitiatedLogout || backchannelLogout))

/** Returns the provider with a key where its settings need one: `made`, or a new one. A key that it has stays. */
export async function withOwnKey<T extends Keyed>(
  id: string,
  provider: T,
  { now, made, ...sealing }: Sealing & { readonly now: Clock; readonly made?: OwnKey | undefined },
): Promise<T> {
  if (!needsOwnKey(provider) || provider.ownCertificates.length > 0) return provider
  const { certificate, privateKey } = made ?? (await makeOwnKey(now(), sealing.random))
  return {
    ...provider,
    ownCertificates: [certificate],
    sealedOwnKeys: sealOwnKeys(id, [privateKey], sealing),
  }
}
