// XML signatures as SAML allows them (Core section 5.4), and no others.
import { createHash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import {
  attribute,
  childElements,
  childrenNamed,
  type Element,
  hasName,
  isText,
  textOf,
} from '@signet/platform/xml/strict-xml'
import { Refused } from '../conversation/refusal.ts'
import { canonicalXml, EXCLUSIVE_C14N, inclusivePrefixes } from './canonical-xml.ts'
import { parseStrictXml } from './strict-xml.ts'

export const DSIG = 'http://www.w3.org/2000/09/xmldsig#'
const ENVELOPED = `${DSIG}enveloped-signature`

const DIGESTS: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384': 'sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
}

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#'
const ALGORITHMS: Readonly<Record<string, readonly [type: string, digest: string]>> = {
  [`${MORE}rsa-sha256`]: ['rsa', 'sha256'],
  [`${MORE}rsa-sha384`]: ['rsa', 'sha384'],
  [`${MORE}rsa-sha512`]: ['rsa', 'sha512'],
  [`${MORE}ecdsa-sha256`]: ['ec', 'sha256'],
  [`${MORE}ecdsa-sha384`]: ['ec', 'sha384'],
  [`${MORE}ecdsa-sha512`]: ['ec', 'sha512'],
}

/** An NCName of ASCII. */
const ID = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/

/**
 * Verifies the one signature of an element and returns the element as it is read from the bytes that the signature covers. Nothing of
 * the element that was passed may be used afterwards. The `KeyInfo` of the message is not read: `keys` are those of the provider.
 * Throws Refused.
 */
export function verifiedElement(signed: Element, keys: readonly KeyObject[]): Element {
  const signature = only(childrenNamed(signed, DSIG, 'Signature'), 'Signature')
  const { signedInfo, signatureValue } = partsOf(signature)
  const method = only(childrenNamed(signedInfo, DSIG, 'CanonicalizationMethod'), 'CanonicalizationMethod')
  requireAlgorithm(method, EXCLUSIVE_C14N)
  const signedBytes = canonicalXml(signedInfo, { inclusive: inclusivePrefixes(method) })
  // From here on SignedInfo is what was signed, not what stood in the message.
  const info = infoOf(parseStrictXml(signedBytes))
  requireSignature(info.algorithm, { bytes: signedBytes, value: signatureValue, keys })
  const id = attribute(signed, 'ID') ?? ''
  if (!ID.test(id) || info.uri !== `#${id}`) {
    throw new Refused('signature_reference_differs', { received: info.uri, expected: `#${id}` })
  }
  const covered = canonicalXml(signed, { inclusive: info.inclusive, without: signature })
  const digest = createHash(info.digest).update(covered).digest()
  if (digest.length !== info.digestValue.length || !timingSafeEqual(digest, info.digestValue)) {
    throw new Refused('signature_invalid', { received: 'another digest' })
  }
  const read = parseStrictXml(covered)
  // A parser that reads other characters than were signed is not believed.
  if (canonicalXml(read, { inclusive: info.inclusive }) !== covered)
    throw malformed('text that reads otherwise')
  if (!hasName(read, signed.namespaceURI ?? '', signed.localName ?? '') || attribute(read, 'ID') !== id) {
    throw new Refused('signature_reference_differs', { received: read.tagName, expected: signed.tagName })
  }
  return read
}

/** The parts of a signature; it has exactly one of each, and `KeyInfo` or not. */
function partsOf(signature: Element) {
  const [signedInfo, signatureValue] = inOrder(signature, ['SignedInfo', 'SignatureValue'], 'KeyInfo')
  return { signedInfo, signatureValue: bytesOf(signatureValue) }
}

function infoOf(signedInfo: Element) {
  const names = ['CanonicalizationMethod', 'SignatureMethod', 'Reference'] as const
  const [canonicalization, method, reference] = inOrder(signedInfo, names)
  requireAlgorithm(canonicalization, EXCLUSIVE_C14N)
  if (childElements(method).length > 0) throw malformed('a parameter of SignatureMethod')
  const [transforms, digestMethod, digestValue] = inOrder(reference, [
    ...(['Transforms', 'DigestMethod', 'DigestValue'] as const),
  ])
  const [enveloped, exclusive] = inOrder(transforms, ['Transform', 'Transform'])
  requireAlgorithm(enveloped, ENVELOPED)
  requireAlgorithm(exclusive, EXCLUSIVE_C14N)
  // xml-crypto writes the list into each transform; it has no meaning in this one.
  if (!childElements(enveloped).every(({ localName }) => localName === 'InclusiveNamespaces')) {
    throw malformed('a parameter of a transform')
  }
  const digestName = attribute(digestMethod, 'Algorithm') ?? ''
  const digest = Object.hasOwn(DIGESTS, digestName) ? DIGESTS[digestName] : undefined
  if (digest === undefined) throw new Refused('algorithm_refused', { received: digestName })
  return {
    ...{ digest, digestValue: bytesOf(digestValue), uri: attribute(reference, 'URI') },
    algorithm: attribute(method, 'Algorithm') ?? '',
    inclusive: inclusivePrefixes(exclusive),
  }
}

export interface SignedBytes {
  readonly bytes: string
  readonly value: Buffer
  readonly keys: readonly KeyObject[]
}

/** Verifies a signature by one of the keys. Throws Refused, also for an algorithm that is not taken. */
export function requireSignature(algorithm: string, { bytes, value, keys }: SignedBytes): void {
  const found = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined
  if (found === undefined) throw new Refused('algorithm_refused', { received: algorithm })
  const [type, digest] = found
  const isValid = keys
    .filter((key) => key.asymmetricKeyType === type)
    .some((key) => verify(digest, Buffer.from(bytes), { key, dsaEncoding: 'ieee-p1363' }, value))
  if (!isValid) throw new Refused('signature_invalid')
}

function requireAlgorithm(element: Element, expected: string): void {
  const received = attribute(element, 'Algorithm')
  if (received !== expected) throw new Refused('algorithm_refused', { received, expected })
}

/** The child elements of a parent, which has these in this order, `last` or not, and no text. Throws Refused. */
function inOrder<const N extends readonly string[]>(parent: Element, names: N, last?: string) {
  const children = childElements(parent)
  const expected = children.length > names.length && last !== undefined ? [...names, last] : names
  const isExpected =
    children.length === expected.length &&
    children.every((child, index) => hasName(child, DSIG, expected[index] ?? '')) &&
    [...parent.childNodes].filter(isText).every(({ nodeValue }) => /^[ \t\r\n]*$/.test(nodeValue ?? ''))
  if (!isExpected)
    throw malformed(`${parent.localName}: ${children.map(({ localName }) => localName).join(' ')}`)
  return children as unknown as { readonly [I in keyof N]: Element }
}

function only(elements: readonly Element[], name: string): Element {
  const [element] = elements
  if (element === undefined || elements.length > 1) throw malformed(`${name}: ${elements.length}`)
  return element
}

function bytesOf(element: Element): Buffer {
  const text = textOf(element)?.replaceAll(/[ \t\r\n]/g, '') ?? ''
  if (text === '' || !BASE64.test(text)) {
    throw malformed(`${element.localName} without base64`)
  }
  return Buffer.from(text, 'base64')
}

export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const malformed = (received: string) => new Refused('signature_malformed', { received })
