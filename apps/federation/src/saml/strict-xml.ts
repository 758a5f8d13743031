// The part of XML 1.0 that a SAML message needs. Comments, CDATA sections, document types and processing instructions are
// refused as text, before a parser sees them: parsers differ about these, and signatures do not cover some of them.
import { DOMParser, type Element, type Node, onWarningStopParsing } from '@xmldom/xmldom'
import { Refused } from '../conversation/refusal.ts'

export type { Element } from '@xmldom/xmldom'

const MOST_BYTES = 262_144
/** The parser takes time that grows with the square of these; a response with 200 groups has some 500 elements. */
const MOST_ELEMENTS = 3_000
const MOST_ATTRIBUTES = 10_000
const MOST_NAMESPACES = 2_000
const MOST_DEPTH = 40

const XML_DECLARATION = /^<\?xml[ \t\r\n][^<>?]{1,100}\?>/
const ENCODING = /encoding[ \t\r\n]*=[ \t\r\n]*["']([^"']*)["']/

const ELEMENT_NODE = 1
const TEXT_NODE = 3

/** Returns the document element of a message. Throws Refused. */
export function parseStrictXml(source: string): Element {
  if (Buffer.byteLength(source) > MOST_BYTES) {
    throw new Refused('response_too_large', { expected: `at most ${MOST_BYTES} bytes` })
  }
  const [declaration = ''] = XML_DECLARATION.exec(source) ?? []
  const [, encoding = 'utf-8'] = ENCODING.exec(declaration) ?? []
  if (encoding.toLowerCase() !== 'utf-8') throw new Refused('xml_refused', { received: 'encoding' })
  const text = source.slice(declaration.length)
  // A literal `<` begins markup wherever it stands: no text and no value of an attribute has one.
  if (/<[!?]/.test(text)) throw new Refused('xml_refused', { received: /<[!?].{0,8}/s.exec(text)?.[0] })
  if (/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) {
    throw new Refused('xml_refused', { received: 'a control character' })
  }
  const count = (part: RegExp) => text.match(part)?.length ?? 0
  if (count(/<[^/]/g) > MOST_ELEMENTS || count(/=/g) > MOST_ATTRIBUTES || count(/xmlns/g) > MOST_NAMESPACES) {
    throw new Refused('xml_refused', { received: 'too many elements, attributes or namespaces' })
  }
  const element = parse(text.replace(/^[ \t\r\n]+/, ''))
  requirePlain(element)
  return element
}

/** XML 1.0 section 2.11. The parser would replace the line ends of XML 1.1 as well, and so read other text than was signed. */
const normalizeLineEndings = (text: string) => text.replace(/\r\n?/g, '\n')
const OPTIONS = { onError: onWarningStopParsing, normalizeLineEndings }

function parse(text: string): Element {
  try {
    const document = new DOMParser(OPTIONS).parseFromString(text, 'text/xml')
    const { documentElement } = document
    if (documentElement !== null) return documentElement
  } catch (cause) {
    throw new Refused('xml_malformed', { cause })
  }
  throw new Refused('xml_malformed')
}

/** Throws Refused for a node that is neither an element nor text, and for elements inside each other without an end. */
function requirePlain(root: Element): void {
  const waiting: { readonly node: Node; readonly depth: number }[] = [{ node: root, depth: 1 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next
    if (depth > MOST_DEPTH) throw new Refused('xml_refused', { expected: `depth of at most ${MOST_DEPTH}` })
    if (node.nodeType === TEXT_NODE) continue
    if (node.nodeType !== ELEMENT_NODE) throw new Refused('xml_refused', { received: node.nodeName })
    for (const child of node.childNodes) waiting.push({ node: child, depth: depth + 1 })
  }
}

export const isElement = (node: Node): node is Element => node.nodeType === ELEMENT_NODE
export const isText = (node: Node): boolean => node.nodeType === TEXT_NODE

/** Every element of a tree in the order of the document, the root first. */
export function elementsOf(root: Element): readonly Element[] {
  return [root, ...childElements(root).flatMap(elementsOf)]
}

export const childElements = (parent: Element): readonly Element[] => [...parent.childNodes].filter(isElement)

export const hasName = (element: Element, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name

export const childrenNamed = (parent: Element, namespace: string, name: string): readonly Element[] =>
  childElements(parent).filter((child) => hasName(child, namespace, name))

/** The value of an attribute without a namespace; undefined without it. */
export function attribute(element: Element, name: string): string | undefined {
  return element.getAttributeNode(name)?.value
}

/** The text of an element without elements inside it; undefined with some. */
export function textOf(element: Element): string | undefined {
  return [...element.childNodes].every(isText) ? (element.textContent ?? '') : undefined
}
