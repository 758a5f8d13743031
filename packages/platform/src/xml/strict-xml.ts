// The part of XML 1.0 that messages and metadata of SAML need. Comments, CDATA sections, document types and processing instructions are
// refused as text, before a parser sees them: parsers differ about these, and signatures do not cover some of them. A document whose
// signature is not verified may have comments between its tags; the parser sees none of them either.
import { DOMParser, type Element, type Node, onWarningStopParsing } from '@xmldom/xmldom'

export type { Element, Node } from '@xmldom/xmldom'

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

interface XmlDetails {
  /** The part that is refused and the expected one. */
  readonly received?: string | undefined
  readonly expected?: string
  readonly cause?: unknown
}

/** A text that is not read. */
export class XmlError extends Error {
  override readonly name = 'XmlError'
  readonly rule: 'too_large' | 'refused' | 'malformed'
  readonly received: string | undefined
  readonly expected: string | undefined

  constructor(rule: XmlError['rule'], { received, expected, cause }: XmlDetails = {}) {
    super(`XML: ${rule}`, cause === undefined ? {} : { cause })
    this.rule = rule
    this.received = received
    this.expected = expected
  }
}

/** Comments between a `>` and a `<`, or at an end of the document: there is no text on both of their sides. */
const COMMENTS_BETWEEN_TAGS = /(^|>)[ \t\r\n]*(?:<!--(?:(?!--).)*-->[ \t\r\n]*)+(?=<|$)/gs

interface Options {
  /** Comments between tags are left out. Those inside a text are refused: `a<!-- -->b` is one text, or two. */
  readonly commentsBetweenTags?: boolean
}

/** Returns the document element of a text. Throws XmlError. */
export function parseStrictXml(source: string, { commentsBetweenTags = false }: Options = {}): Element {
  if (Buffer.byteLength(source) > MOST_BYTES) {
    throw new XmlError('too_large', { expected: `at most ${MOST_BYTES} bytes` })
  }
  const [declaration = ''] = XML_DECLARATION.exec(source) ?? []
  const [, encoding = 'utf-8'] = ENCODING.exec(declaration) ?? []
  if (encoding.toLowerCase() !== 'utf-8') throw new XmlError('refused', { received: 'encoding' })
  const given = source.slice(declaration.length)
  if (/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(given)) {
    throw new XmlError('refused', { received: 'a control character' })
  }
  const text = commentsBetweenTags ? given.replaceAll(COMMENTS_BETWEEN_TAGS, '$1') : given
  // A literal `<` begins markup wherever it stands: no text and no value of an attribute has one.
  if (/<[!?]/.test(text)) throw new XmlError('refused', { received: /<[!?].{0,8}/s.exec(text)?.[0] })
  const count = (part: RegExp) => text.match(part)?.length ?? 0
  if (count(/<[^/]/g) > MOST_ELEMENTS || count(/=/g) > MOST_ATTRIBUTES || count(/xmlns/g) > MOST_NAMESPACES) {
    throw new XmlError('refused', { received: 'too many elements, attributes or namespaces' })
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
    throw new XmlError('malformed', { cause })
  }
  throw new XmlError('malformed')
}

/** Throws XmlError for a node that is neither an element nor text, and for elements inside each other without an end. */
function requirePlain(root: Element): void {
  const waiting: { readonly node: Node; readonly depth: number }[] = [{ node: root, depth: 1 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next
    if (depth > MOST_DEPTH) throw new XmlError('refused', { expected: `depth of at most ${MOST_DEPTH}` })
    if (node.nodeType === TEXT_NODE) continue
    if (node.nodeType !== ELEMENT_NODE) throw new XmlError('refused', { received: node.nodeName })
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
