// The form of a response and its signatures. The members of an assertion come from here, and so from signed bytes.
import type { KeyObject } from 'node:crypto'
import { childrenNamed, type Element, elementsOf, hasName } from '@signet/platform/xml/strict-xml'
import { Refused } from '../conversation/refusal.ts'
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
}

/** Returns the response of the text that came, before any signature was verified. Throws Refused for another form. */
export function parseResponse(text: string): Element {
  const response = parseStrictXml(text)
  if (!hasName(response, PROTOCOL, 'Response')) {
    throw new Refused('response_malformed', { received: response.tagName, expected: 'Response' })
  }
  return response
}

/** Verifies each signature of a response. Throws Refused. */
export function verifyResponse(received: Element, { keys, both }: Demand): SignedResponse {
  requireForm(received)
  const isSigned = (element: Element) => childrenNamed(element, DSIG, 'Signature').length > 0
  const plain = onlyAssertion(received)
  if (!isSigned(received) && !isSigned(plain)) throw new Refused('signature_missing')
  if (both && !(isSigned(received) && isSigned(plain))) {
    throw new Refused('signature_missing', { expected: 'one of the response and one of the assertion' })
  }
  const response = isSigned(received) ? verifiedElement(received, keys) : received
  if (isSigned(received)) requireForm(response)
  const assertion = isSigned(plain) ? verifiedElement(plain, keys) : onlyAssertion(response)
  if (elementsOf(assertion).filter((element) => element.localName === 'Assertion').length !== 1) {
    throw new Refused('assertion_not_one')
  }
  return { response, assertion }
}

/** Requires one assertion, no id twice, and signatures only as children of the response and of the assertion, each of them with one at most. */
function requireForm(response: Element): void {
  const elements = elementsOf(response)
  const encrypted = elements.find(({ localName }) => localName?.startsWith('Encrypted'))
  if (encrypted !== undefined) throw new Refused('assertion_encrypted', { received: encrypted.tagName })
  const assertion = onlyAssertion(response)
  const ids = elements.flatMap(idsOf)
  if (new Set(ids).size !== ids.length) throw new Refused('id_repeated')
  const signatures = elements.filter(({ localName }) => localName === 'Signature')
  for (const parent of [response, assertion]) {
    if (childrenNamed(parent, DSIG, 'Signature').length > 1) {
      throw new Refused('signature_malformed', { received: `several of ${parent.localName}` })
    }
  }
  const isExpected = ({ namespaceURI, parentNode }: Element) =>
    namespaceURI === DSIG && (parentNode === response || parentNode === assertion)
  if (!signatures.every(isExpected)) throw new Refused('signature_misplaced')
}

/** The assertion, which is a child of the response; there is no other element with its name at any depth, nor another response. */
function onlyAssertion(response: Element): Element {
  const named = elementsOf(response).filter(({ localName }) => localName === 'Assertion')
  const [assertion] = childrenNamed(response, ASSERTION, 'Assertion')
  const responses = elementsOf(response).filter(({ localName }) => localName === 'Response')
  if (assertion === undefined || named.length !== 1 || responses.length !== 1) {
    throw new Refused('assertion_not_one', { received: named.length })
  }
  return assertion
}

/** Every value that some reader takes for an id. */
const idsOf = (element: Element): readonly string[] =>
  [...element.attributes].filter(({ name }) => /^(?:.*:)?id$/i.test(name)).map(({ value }) => value)
