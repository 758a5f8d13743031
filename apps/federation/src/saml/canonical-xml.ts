// Exclusive XML Canonicalization 1.0 without comments, for trees of elements and text.

import { childElements, type Element, isElement } from '@signet/platform/xml/strict-xml'
import { Refused } from '../conversation/refusal.ts'

const XMLNS = 'http://www.w3.org/2000/xmlns/'
const XML = 'http://www.w3.org/XML/1998/namespace'

/** The name by which an `InclusiveNamespaces` list names the default namespace. */
const DEFAULT_PREFIX = '#default'

type Namespaces = ReadonlyMap<string, string>

interface Canonicalization {
  /** Prefixes that are handled as Canonical XML 1.0 does (section 2.1, `InclusiveNamespaces`). */
  readonly inclusive: readonly string[]
  /** Element that is left out with everything inside it: the enveloped signature. */
  readonly without?: Element | undefined
}

/** Returns the canonical text of an element. Throws Refused for a prefix without a namespace. */
export function canonicalXml(root: Element, { inclusive, without }: Canonicalization): string {
  const included = inclusive.map((prefix) => (prefix === DEFAULT_PREFIX ? '' : prefix))

  function write(element: Element, outer: Namespaces, rendered: Namespaces): string {
    const scope = withDeclarations(element, outer)
    const declared = declaredBy(element, scope, rendered, included)
    const inner = declared.size === 0 ? rendered : new Map([...rendered, ...declared])
    const children = [...element.childNodes].filter((child) => child !== without)
    const content = children.map((child) =>
      isElement(child) ? write(child, scope, inner) : escapedText(child.nodeValue ?? ''),
    )
    const { tagName } = element
    return `<${tagName}${namespaceNodes(declared)}${attributeNodes(element)}>${content.join('')}</${tagName}>`
  }
  return write(root, scopeAround(root), new Map([['', '']]))
}

/** The namespaces in scope of the parent. */
function scopeAround({ parentNode }: Element): Namespaces {
  if (parentNode === null || !isElement(parentNode)) return new Map([['', '']])
  return withDeclarations(parentNode, scopeAround(parentNode))
}

function withDeclarations(element: Element, outer: Namespaces): Namespaces {
  const declarations = [...element.attributes].filter(({ namespaceURI }) => namespaceURI === XMLNS)
  if (declarations.length === 0) return outer
  return new Map([
    ...outer,
    ...declarations.map(({ prefix, localName, value }) => [prefix ? (localName ?? '') : '', value] as const),
  ])
}

/** The declarations that the canonical form of an element has. */
function declaredBy(
  element: Element,
  scope: Namespaces,
  rendered: Namespaces,
  included: readonly string[],
): Namespaces {
  const used = [
    element.prefix ?? '',
    ...[...element.attributes]
      .filter(({ namespaceURI, prefix }) => prefix && namespaceURI !== XMLNS && namespaceURI !== XML)
      .map(({ prefix }) => prefix ?? ''),
  ]
  const declared = new Map<string, string>()
  for (const prefix of [...used, ...included]) {
    const namespace = scope.get(prefix)
    if (namespace === undefined && !used.includes(prefix)) continue
    if (namespace === undefined || (prefix !== '' && namespace === '')) {
      throw new Refused('xml_malformed', { received: 'a prefix without a namespace' })
    }
    if (rendered.get(prefix) !== namespace) declared.set(prefix, namespace)
  }
  return declared
}

const namespaceNodes = (declared: Namespaces) =>
  [...declared]
    .sort(([left], [right]) => compare(left, right))
    .map(([prefix, value]) => ` xmlns${prefix === '' ? '' : `:${prefix}`}="${escapedValue(value)}"`)
    .join('')

const attributeNodes = (element: Element) =>
  [...element.attributes]
    .filter(({ namespaceURI }) => namespaceURI !== XMLNS)
    .sort(
      (left, right) =>
        compare(left.namespaceURI ?? '', right.namespaceURI ?? '') ||
        compare(left.localName ?? left.name, right.localName ?? right.name),
    )
    .map(({ name, value }) => ` ${name}="${escapedValue(value)}"`)
    .join('')

/** Compares the bytes of UTF-8, which have the order of code points. */
const compare = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right))

const TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' }
const VALUE: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '"': '&quot;' },
  ...{ '\t': '&#x9;', '\n': '&#xA;', '\r': '&#xD;' },
}
/** The text of an element. */
export const escapedText = (text: string): string =>
  text.replace(/[&<>\r]/g, (character) => TEXT[character] ?? '')

/** The text of a value between double quotes. */
export const escapedValue = (text: string): string =>
  text.replace(/[&<"\t\n\r]/g, (character) => VALUE[character] ?? '')

/** The prefixes of the `InclusiveNamespaces` in a transform or a canonicalization method. Throws Refused for other elements. */
export function inclusivePrefixes(algorithm: Element): readonly string[] {
  const [list, ...more] = childElements(algorithm)
  if (list === undefined) return []
  const isList = list.namespaceURI === EXCLUSIVE_C14N && list.localName === 'InclusiveNamespaces'
  if (!isList || more.length > 0 || childElements(list).length > 0) {
    throw new Refused('signature_malformed', { received: list.tagName })
  }
  const prefixes = (list.getAttribute('PrefixList') ?? '')
    .split(/[ \t\r\n]+/)
    .filter((prefix) => prefix !== '')
  if (prefixes.length > MOST_PREFIXES) throw new Refused('signature_malformed', { received: 'PrefixList' })
  return prefixes
}

const MOST_PREFIXES = 20

export const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#'
