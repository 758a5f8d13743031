// Encrypted assertions (Core section 2.3.4, XML Encryption 1.1): a key for AES-GCM by RSA-OAEP, and no other algorithm. Each
// failure after the use of the private key has one result, so that a response tells nothing about a key or a text.
import {
  constants,
  createDecipheriv,
  createPrivateKey,
  type KeyObject,
  privateDecrypt,
  randomBytes,
} from 'node:crypto'
import {
  attribute,
  childElements,
  childrenNamed,
  type Element,
  elementsOf,
  hasName,
  textOf,
} from '@signet/platform/xml/strict-xml'
import { Refused } from '../conversation/refusal.ts'
import { ASSERTION } from './names.ts'
import { BASE64, DSIG } from './signature.ts'
import { parseStrictXml } from './strict-xml.ts'

const XENC = 'http://www.w3.org/2001/04/xmlenc#'
const XENC11 = 'http://www.w3.org/2009/xmlenc11#'

const ENCRYPTED_KEY_TYPE = `${XENC}EncryptedKey`

/** The algorithms for an assertion, with the octets of their keys. */
const CIPHERS = {
  [`${XENC11}aes128-gcm`]: { name: 'aes-128-gcm', keyBytes: 16 },
  [`${XENC11}aes256-gcm`]: { name: 'aes-256-gcm', keyBytes: 32 },
} as const
type Cipher = (typeof CIPHERS)[keyof typeof CIPHERS]

const OAEP_MGF1P = `${XENC}rsa-oaep-mgf1p`
const OAEP = `${XENC11}rsa-oaep`
/** The algorithms that are taken, the preferred first. */
export const ENCRYPTION_METHODS: readonly string[] = [
  ...[`${XENC11}aes256-gcm`, `${XENC11}aes128-gcm`],
  ...[OAEP, OAEP_MGF1P],
]

const DIGESTS: Readonly<Record<string, string>> = {
  [`${DSIG}sha1`]: 'sha1',
  [`${XENC}sha256`]: 'sha256',
}
const MASKS: Readonly<Record<string, string>> = {
  [`${XENC11}mgf1sha1`]: 'sha1',
  [`${XENC11}mgf1sha256`]: 'sha256',
}

const IV_BYTES = 12
const TAG_BYTES = 16
/** An RSA key of 4,096 bits encrypts 512 octets. */
const MOST_KEY_BYTES = 512

/** Whether an element is part of an encrypted assertion as `decryptedAssertion` reads it. */
export const isEncryptedPart = (element: Element): boolean =>
  hasName(element, ASSERTION, 'EncryptedAssertion') ||
  hasName(element, XENC, 'EncryptedData') ||
  hasName(element, XENC, 'EncryptedKey')

/**
 * Returns the assertion inside an `EncryptedAssertion`. It is a document of its own, whose signature was not verified. `keys` are
 * those of Signet at the provider. Throws Refused.
 */
export function decryptedAssertion(encrypted: Element, keys: readonly KeyObject[]): Element {
  const data = onlyOf(encrypted, XENC, 'EncryptedData')
  const type = attribute(data, 'Type')
  if (type !== undefined && type !== `${XENC}Element`) throw malformed(`Type ${type}`)
  const cipher = cipherOf(onlyOf(data, XENC, 'EncryptionMethod'))
  const encryptedKey = encryptedKeyOf(encrypted, data)
  const hash = oaepHashOf(onlyOf(encryptedKey, XENC, 'EncryptionMethod'))
  const wrapped = cipherValueOf(encryptedKey)
  if (wrapped.length > MOST_KEY_BYTES) throw malformed('a key of too many octets')
  const content = cipherValueOf(data)
  if (content.length < IV_BYTES + TAG_BYTES) throw malformed('a text of too few octets')
  const texts = keys.map((key) => decrypted(content, cipher, unwrapped(wrapped, { key, hash, cipher })))
  const text = texts.find((one) => one !== undefined)
  if (text === undefined) throw new Refused('decryption_failed')
  return parsedAssertion(text)
}

/** A key of Signet as the directory has it: PKCS #8, DER in base64. */
export const privateKey = (text: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' })

function cipherOf(method: Element): Cipher {
  const received = attribute(method, 'Algorithm') ?? ''
  if (Object.hasOwn(CIPHERS, received)) return CIPHERS[received as keyof typeof CIPHERS]
  throw new Refused('algorithm_refused', { received, expected: 'aes128-gcm or aes256-gcm' })
}

/** The hash of both OAEP and its mask: Node.js takes one for both. */
function oaepHashOf(method: Element): string {
  const received = attribute(method, 'Algorithm') ?? ''
  if (received !== OAEP_MGF1P && received !== OAEP) {
    throw new Refused('algorithm_refused', { received, expected: 'rsa-oaep-mgf1p or rsa-oaep' })
  }
  const [digest = 'sha1'] = algorithmsOf(method, { namespace: DSIG, name: 'DigestMethod', known: DIGESTS })
  const [mask = 'sha1'] = algorithmsOf(method, { namespace: XENC11, name: 'MGF', known: MASKS })
  const others = childElements(method).filter(
    (child) => !hasName(child, DSIG, 'DigestMethod') && !hasName(child, XENC11, 'MGF'),
  )
  // A label (OAEPparams) has no use here.
  if (others.length > 0) throw malformed(others[0]?.tagName)
  if (digest === mask && (received === OAEP || mask === 'sha1')) return digest
  throw new Refused('algorithm_refused', {
    received: `${received} with ${digest}, and ${mask} in its mask`,
    expected: 'one hash for both',
  })
}

interface Named {
  readonly namespace: string
  readonly name: string
  readonly known: Readonly<Record<string, string>>
}

function algorithmsOf(method: Element, { namespace, name, known }: Named): readonly string[] {
  const elements = childrenNamed(method, namespace, name)
  if (elements.length > 1) throw malformed(`${name}: ${elements.length}`)
  return elements.map((element) => {
    const received = attribute(element, 'Algorithm') ?? ''
    const found = Object.hasOwn(known, received) ? known[received] : undefined
    if (found === undefined) throw new Refused('algorithm_refused', { received })
    return found
  })
}

/**
 * The one key: in the KeyInfo of the data, or beside the data, where a RetrievalMethod may name it (Errata E43 of Core section 6.2).
 */
function encryptedKeyOf(encrypted: Element, data: Element): Element {
  const keys = elementsOf(encrypted).filter((element) => hasName(element, XENC, 'EncryptedKey'))
  const [key] = keys
  if (key === undefined || keys.length > 1) throw malformed(`EncryptedKey: ${keys.length}`)
  const [info, ...more] = childrenNamed(data, DSIG, 'KeyInfo')
  if (more.length > 0) throw malformed('several KeyInfo')
  if (key.parentNode === encrypted) {
    const methods = info === undefined ? [] : childrenNamed(info, DSIG, 'RetrievalMethod')
    const names = (method: Element) =>
      attribute(method, 'URI') === `#${attribute(key, 'Id')}` &&
      (attribute(method, 'Type') ?? ENCRYPTED_KEY_TYPE) === ENCRYPTED_KEY_TYPE
    if (methods.length > 1 || !methods.every(names)) throw malformed('RetrievalMethod')
    return key
  }
  if (info === undefined || key.parentNode !== info) throw malformed('EncryptedKey')
  return key
}

function cipherValueOf(parent: Element): Buffer {
  const value = onlyOf(onlyOf(parent, XENC, 'CipherData'), XENC, 'CipherValue')
  const text = textOf(value)?.replaceAll(/[ \t\r\n]/g, '') ?? ''
  if (text === '' || !BASE64.test(text)) throw malformed('CipherValue without base64')
  return Buffer.from(text, 'base64')
}

interface Unwrapping {
  readonly key: KeyObject
  readonly hash: string
  readonly cipher: Cipher
}

/** The key of the text, or a random one: the text then fails as it does with a key of another person. */
function unwrapped(wrapped: Buffer, { key, hash, cipher }: Unwrapping): Buffer {
  const other = randomBytes(cipher.keyBytes)
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING
    const found = privateDecrypt({ key, padding, oaepHash: hash }, wrapped)
    return found.length === cipher.keyBytes ? found : other
  } catch {
    return other
  }
}

/** The text; undefined for one that another key encrypted or that was changed. */
function decrypted(content: Buffer, { name }: Cipher, key: Buffer): string | undefined {
  const decipher = createDecipheriv(name, key, content.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(content.subarray(-TAG_BYTES))
  try {
    const text = decipher.update(content.subarray(IV_BYTES, -TAG_BYTES))
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat([text, decipher.final()]))
  } catch {
    return undefined
  }
}

function parsedAssertion(text: string): Element {
  try {
    const assertion = parseStrictXml(text)
    if (hasName(assertion, ASSERTION, 'Assertion')) return assertion
  } catch (error) {
    if (!(error instanceof Refused)) throw error
  }
  throw new Refused('decryption_failed')
}

function onlyOf(parent: Element, namespace: string, name: string): Element {
  const elements = childrenNamed(parent, namespace, name)
  const [element] = elements
  if (element === undefined || elements.length > 1) throw malformed(`${name}: ${elements.length}`)
  return element
}

const malformed = (received: string | undefined) => new Refused('encryption_malformed', { received })
