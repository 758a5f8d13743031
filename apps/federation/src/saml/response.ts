// The form of a response and its signatures. The members of an assertion come from here, and so from signed bytes.
import type { KeyObject } from 'node:crypto'
import { childrenNamed, type Element, elementsOf, hasName } from '@signet/platform/xml/strict-xml'
import { Refused } from '../conversation/refusal.ts'
import { decryptedAssertion, isEncryptedPart } from './decryption.ts'
import { ASSERTION, PROTOCOL } from './names.ts'
import { DSIG, verifiedElement } from './signature.ts'
import { parseStrictXml } from './strict-xml.ts'

export interface SignedResponse {
  /** The response: from signed bytes where it is signed. Its members only refuse; nothing about a person is in them. */
  readonly response: Element
  /** The assertion, from signed bytes. */
  readonly assertion: Element
}

interface Demand {
  readonly keys: readonly KeyObject[]
  /** Both the response and the assertion have to be signed. */
  readonly both: boolean
  /** Whether assertions are encrypted: `none`, `optional` or `required`. */
  readonly encryption: string
  /** The keys of Signet at the provider. */
  readonly ownKeys: readonly KeyObject[]
}

/** Returns the response of the text that came, before any signature was verified. Throws Refused for another form. */
export function parseResponse(text: string): Element {
  const response = parseStrictXml(text)
  if (!hasName(response, PROTOCOL, 'Response')) {
    throw new Refused('response_malformed', { received: response.tagName, expected: 'Response' })
  }
  return response
}

/** Verifies each signature of a response, and decrypts its assertion. Throws Refused. */
export function verifyResponse(received: Element, demand: Demand): SignedResponse {
  requireForm(received, demand)
  return encryptedIn(received) === undefined
    ? verifyPlain(received, demand)
    : verifyEncrypted(received, demand)
}

function verifyPlain(received: Element, demand: Demand): SignedResponse {
  const plain = onlyAssertion(received)
  requireSignatures(received, plain, demand)
  const response = verifiedResponse(received, demand)
  const assertion = isSigned(plain) ? verifiedElement(plain, demand.keys) : onlyAssertion(response)
  if (named(assertion, 'Assertion').length !== 1) throw new Refused('assertion_not_one')
  return { response, assertion }
}

/** The signature of a response covers the encrypted text, and that of an assertion is inside it. */
function verifyEncrypted(received: Element, demand: Demand): SignedResponse {
  const response = verifiedResponse(received, demand)
  const encrypted = encryptedIn(response)
  if (encrypted === undefined) throw new Refused('assertion_not_one')
  const plain = decryptedAssertion(encrypted, demand.ownKeys)
  requireAssertionForm(plain, response)
  requireSignatures(received, plain, demand)
  return { response, assertion: isSigned(plain) ? verifiedElement(plain, demand.keys) : plain }
}

const isSigned = (element: Element) => childrenNamed(element, DSIG, 'Signature').length > 0

function requireSignatures(response: Element, assertion: Element, { both }: Demand): void {
  if (!isSigned(response) && !isSigned(assertion)) throw new Refused('signature_missing')
  if (both && !(isSigned(response) && isSigned(assertion))) {
    throw new Refused('signature_missing', { expected: 'one of the response and one of the assertion' })
  }
}

/** The response from signed bytes where it is signed. */
function verifiedResponse(received: Element, demand: Demand): Element {
  if (!isSigned(received)) return received
  const response = verifiedElement(received, demand.keys)
  requireForm(response, demand)
  return response
}

const named = (root: Element, name: string) => elementsOf(root).filter(({ localName }) => localName === name)

const encryptedIn = (response: Element): Element | undefined =>
  childrenNamed(response, ASSERTION, 'EncryptedAssertion')[0]

/** Requires one assertion, no id twice, and signatures only as children of the response and of the assertion, each of them with one at most. */
function requireForm(response: Element, { encryption }: Demand): void {
  const elements = elementsOf(response)
  const encrypted = elements.filter(({ localName }) => localName?.startsWith('Encrypted'))
  const refused = encrypted.find((element) => encryption === 'none' || !isEncryptedPart(element))
  if (refused !== undefined) throw new Refused('assertion_encrypted', { received: refused.tagName })
  if (encrypted.length === 0 && encryption === 'required') throw new Refused('encryption_missing')
  const assertion = encrypted.length > 0 ? onlyEncrypted(response) : onlyAssertion(response)
  requireIdsAndSignatures(elements, encrypted.length > 0 ? [response] : [response, assertion])
}

/** The same for an assertion that was encrypted. It has no id of the response around it. */
function requireAssertionForm(assertion: Element, response: Element): void {
  const elements = elementsOf(assertion)
  const encrypted = elements.find(({ localName }) => localName?.startsWith('Encrypted'))
  if (encrypted !== undefined) throw new Refused('assertion_encrypted', { received: encrypted.tagName })
  const isOne = named(assertion, 'Assertion').length === 1 && named(assertion, 'Response').length === 0
  if (!isOne) throw new Refused('assertion_not_one')
  requireIds([...elements, ...elementsOf(response)])
  requireIdsAndSignatures(elements, [assertion])
}

/** Requires no id twice, and signatures only as children of these parents, each with one at most. Throws Refused. */
export function requireIdsAndSignatures(elements: readonly Element[], parents: readonly Element[]): void {
  requireIds(elements)
  for (const parent of parents) {
    if (childrenNamed(parent, DSIG, 'Signature').length > 1) {
      throw new Refused('signature_malformed', { received: `several of ${parent.localName}` })
    }
  }
  const isExpected = ({ namespaceURI, parentNode }: Element) =>
    namespaceURI === DSIG && parents.some((parent) => parent === parentNode)
  const signatures = elements.filter(({ localName }) => localName === 'Signature')
  if (!signatures.every(isExpected)) throw new Refused('signature_misplaced')
}

function requireIds(elements: readonly Element[]): void {
  const ids = elements.flatMap(idsOf)
  if (new Set(ids).size !== ids.length) throw new Refused('id_repeated')
}

/** The assertion, which is a child of the response; there is no other element with its name at any depth, nor another response. */
function onlyAssertion(response: Element): Element {
  const [assertion] = childrenNamed(response, ASSERTION, 'Assertion')
  const assertions = named(response, 'Assertion')
  if (assertion === undefined || assertions.length !== 1 || named(response, 'Response').length !== 1) {
    throw new Refused('assertion_not_one', { received: assertions.length })
  }
  return assertion
}

/** The encrypted assertion, which is a child of the response and has every encrypted part; there is no plain one beside it. */
function onlyEncrypted(response: Element): Element {
  const assertion = encryptedIn(response)
  const all = elementsOf(response).filter(isEncryptedPart)
  const inside = assertion === undefined ? [] : elementsOf(assertion).filter(isEncryptedPart)
  const others = [...named(response, 'Assertion'), ...named(response, 'Response').slice(1)]
  if (assertion === undefined || all.length !== inside.length || others.length > 0) {
    throw new Refused('assertion_not_one', { received: named(response, 'EncryptedAssertion').length })
  }
  if (named(assertion, 'EncryptedAssertion').length !== 1) throw new Refused('assertion_not_one')
  return assertion
}

/** Every value that some reader takes for an id. */
const idsOf = (element: Element): readonly string[] =>
  [...element.attributes].filter(({ name }) => /^(?:.*:)?id$/i.test(name)).map(({ value }) => value)
