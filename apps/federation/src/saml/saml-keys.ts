// The keys of a SAML provider, and those of Signet there.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { publicKeyProblem } from '@signet/protocol/public-key'
import type { Provider } from '../conversation/provider.ts'
import { Refused } from '../conversation/refusal.ts'
import { privateKey } from './decryption.ts'

/** The oldest own key, since a provider may not have the certificate of the next one yet. */
export function signingKey({ id, ownKeys }: Pick<Provider, 'id' | 'ownKeys'>): KeyObject {
  const [key] = ownKeys
  if (key === undefined) throw new Error(`identity provider ${id} signs messages and has no key`)
  return privateKey(key)
}

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

/** The keys of a provider. The certificates are those that an administrator set: neither their names nor their times are read. */
export function keysOf({ certificates }: Pick<Provider, 'certificates'>): readonly KeyObject[] {
  return certificates.map((certificate) => {
    const key = keyIn(certificate)
    const { namedCurve = '' } = key?.asymmetricKeyDetails ?? {}
    const isUsable =
      key?.asymmetricKeyType === 'ec'
        ? CURVES.includes(namedCurve)
        : key !== undefined && publicKeyProblem(key) === undefined
    if (key === undefined || !isUsable) throw new Refused('certificate_refused')
    return key
  })
}

function keyIn(certificate: string): KeyObject | undefined {
  try {
    return new X509Certificate(Buffer.from(certificate, 'base64')).publicKey
  } catch {
    return undefined
  }
}
