// Which SVG images an organization may show on its pages. SVG can hold script, styles and references, so that only a list of
// elements and attributes is accepted. The file is stored as it came, and it is served with a policy under which it runs
// and loads nothing: a parser that reads it in another way finds no script either.
import { DOMParser, type Element, onWarningStopParsing } from '@xmldom/xmldom'

const SVG = 'http://www.w3.org/2000/svg'
const XLINK = 'http://www.w3.org/1999/xlink'
const XML = 'http://www.w3.org/XML/1998/namespace'
const XMLNS = 'http://www.w3.org/2000/xmlns/'

/** A logo has some hundred. The parser takes 0.1 seconds for this many, and 1.4 for as many as fit into a file. */
const MOST_ELEMENTS = 3_000
const MOST_ATTRIBUTES = 10_000

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const ELEMENTS = words(`
  svg g defs title desc style path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient
  stop clipPath mask`)

const ATTRIBUTES = words(`
  id class style lang role aria-label aria-labelledby aria-hidden data-name version baseProfile enable-background
  viewBox width height preserveAspectRatio x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy fr d points pathLength rotate
  transform gradientTransform gradientUnits spreadMethod offset clipPathUnits maskUnits maskContentUnits mask-type
  fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-dasharray stroke-dashoffset opacity color stop-color stop-opacity clip-path clip-rule mask display visibility
  overflow vector-effect paint-order shape-rendering text-rendering color-interpolation font-family font-size font-style
  font-weight font-variant letter-spacing word-spacing text-anchor dominant-baseline type media`)

/** Attributes of other namespaces, as `namespace local-name`. `href` is limited to references inside the file. */
const FOREIGN_ATTRIBUTES = new Set([`${XLINK} href`, `${XML} space`, `${XML} lang`])

const FUNCTIONS = words(`
  rgb rgba hsl hsla matrix translate translateX translateY scale scaleX scaleY rotate skewX skewY`)

/** Whether a file looks like SVG; another check says whether it may be shown. */
export function isSvg(content: Buffer): boolean {
  return /^\uFEFF?\s*<(\?xml\s|!--|!DOCTYPE\s+svg|svg[\s>])/i.test(content.toString('utf8', 0, 200))
}

/** The rule that an SVG image breaks; undefined when it may be shown. */
export function brokenSvgRule(content: Buffer): string | undefined {
  const text = decoded(content)
  if (text === undefined) return 'must be SVG in UTF-8'
  const body = text.replace(XML_DECLARATION, '')
  if (/<!(DOCTYPE|ENTITY)/i.test(body)) return 'must not have a document type or entities; remove <!DOCTYPE'
  if (body.includes('<?')) return 'must not have processing instructions; remove <?'
  if (count(body, '<') > 2 * MOST_ELEMENTS) return `must have at most ${MOST_ELEMENTS} elements`
  if (count(body, '=') > MOST_ATTRIBUTES) return `must have at most ${MOST_ATTRIBUTES} attributes`
  const rule = brokenSvgTextRule(body)
  if (rule !== undefined) return rule
  const elements = parse(text)
  if (elements === undefined)
    return 'must be well-formed XML with the root <svg xmlns="http://www.w3.org/2000/svg">'
  return firstRule(elements, brokenElement) ?? brokenClippingRule(elements)
}

function firstRule<T>(all: readonly T[], brokenRule: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const rule = brokenRule(one)
    if (rule !== undefined) return rule
  }
  return undefined
}

const XML_DECLARATION =
  /^\s*<\?xml\s+version=["']1\.0["'](\s+encoding=["']utf-8["'])?(\s+standalone=["'](yes|no)["'])?\s*\?>/i

const count = (text: string, character: string): number => text.split(character).length - 1

function decoded(content: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    // TypeError: the bytes are not UTF-8.
    return undefined
  }
}

/** The elements in the order of the file; undefined for XML that is not well-formed or has another root. */
function parse(text: string): readonly Element[] | undefined {
  try {
    const document = new DOMParser({ onError: onWarningStopParsing }).parseFromString(text, 'application/xml')
    const { documentElement: root } = document
    if (root === null || root.namespaceURI !== SVG || root.localName !== 'svg') return undefined
    return [root, ...root.getElementsByTagName('*')]
  } catch {
    // ParseError: the first thing that is not well-formed.
    return undefined
  }
}

function brokenElement(element: Element): string | undefined {
  const name = shown(element.nodeName)
  if (element.namespaceURI !== SVG || !ELEMENTS.has(element.localName ?? '')) {
    return `must not have the element <${name}>; the guide "Branding" lists those that are allowed`
  }
  for (const attribute of element.attributes) {
    const { namespaceURI, nodeName, localName, value } = attribute
    if (namespaceURI === XMLNS) continue
    const where = `the attribute ${shown(nodeName)} of <${name}>`
    const isReference = localName === 'href'
    const isKnown =
      namespaceURI === null
        ? isReference || ATTRIBUTES.has(nodeName)
        : FOREIGN_ATTRIBUTES.has(`${namespaceURI} ${localName}`)
    if (!isKnown) return `must not have ${where}`
    if (isReference && !/^#[\w.-]+$/.test(value)) return `must refer to its own elements only in ${where}`
    const isText = nodeName === 'aria-label'
    if (!isText && loads(value)) return `must not load or call anything in ${where}`
  }
  if (element.localName === 'style' && loads(element.textContent ?? '')) {
    return 'must not load, import or call anything in <style>'
  }
  return undefined
}

/** Whether CSS, or a value of a property, refers to something outside of the file or uses a function that is not listed. */
function loads(css: string): boolean {
  // An escape could spell a function; an at-rule could import.
  if (/[\\@<]/.test(css)) return true
  const own = css.replaceAll(/url\(\s*(["']?)#[\w.-]+\1\s*\)/gi, '')
  // Bounded: without an end the search takes a minute for a file of one word.
  return [...own.matchAll(/([\w-]{0,30})\(/g)].some(([, name = '']) => !FUNCTIONS.has(name))
}

const shown = (name: string): string => (/^[\w:.-]{1,60}$/.test(name) ? name : '(unprintable)')

// Rules that the text of an SVG image obeys before it is parsed: the parser needs a second for text that breaks them, or
// accepts what XML does not.

/** Programs for drawing declare about ten. The parser copies those of an element to the elements in it. */
const MOST_NAMESPACES = 20
const MOST_NESTED = 100

const REFERENCE = /&(?:amp|lt|gt|quot|apos|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g

/** The rule that the text breaks; undefined when it may be parsed. */
function brokenSvgTextRule(text: string): string | undefined {
  if (isControl(text)) return 'must not have control characters'
  if (text.split('xmlns').length - 1 > MOST_NAMESPACES) {
    return `must have at most ${MOST_NAMESPACES} namespace declarations (xmlns)`
  }
  const { nested, references } = scan(text)
  if (nested > MOST_NESTED) return `must have at most ${MOST_NESTED} elements in one another`
  return references.every(isWellFormed)
    ? undefined
    : 'must be well-formed XML: write & as &amp; and use no references to control characters'
}

/** XML 1.0 section 2.2 allows no others. `\p{Cc}` are control characters, `\p{Cs}` halves of a surrogate pair. */
const isControl = (text: string): boolean => /[^\P{Cc}\t\n\r]|[\p{Cs}\uFFFE\uFFFF]/u.test(text)

function isWellFormed(text: string): boolean {
  const characters = [...text.matchAll(REFERENCE)].map(([, decimal, hexadecimal]) =>
    decimal === undefined ? Number.parseInt(hexadecimal ?? '20', 16) : Number(decimal),
  )
  if (characters.some((one) => one > 0x10_ff_ff || isControl(String.fromCodePoint(one)))) return false
  return !text.replaceAll(REFERENCE, '').includes('&')
}

/** A tag that ends with `/>`; a `>` inside quotes does not end it. */
const EMPTY_TAG = /^[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*(?<=\/)>/

/** Pairs of the beginning and the end of markup in which `<` and `&` are text. */
const OPAQUE = [
  { start: '!--', end: '-->' },
  { start: '![CDATA[', end: ']]>' },
] as const

interface Scanned {
  /** The most elements that are open at once. */
  readonly nested: number
  /** The text in which `&` begins a reference. */
  readonly references: readonly string[]
}

function scan(text: string): Scanned {
  const references: string[] = []
  let [open, nested] = [0, 0]
  let end: string | undefined
  for (const piece of text.split('<')) {
    let rest = piece
    if (end === undefined) {
      const opaque = OPAQUE.find(({ start }) => piece.startsWith(start))
      end = opaque?.end
      rest = piece.slice(opaque?.start.length ?? 0)
      if (opaque === undefined) {
        if (piece.startsWith('/')) open -= 1
        else if (/^[^\s?!]/.test(piece) && !EMPTY_TAG.test(piece)) open += 1
        nested = Math.max(nested, open)
      }
    }
    if (end !== undefined) {
      const at = rest.indexOf(end)
      if (at === -1) continue
      rest = rest.slice(at + end.length)
      end = undefined
    }
    references.push(rest)
  }
  return { nested, references }
}

// Masks and clip paths of an SVG image. A browser draws what one refers to once for each reference: references inside masks
// multiply, and five levels of ten take seconds.

/** Each draws the whole mask again. */
const MOST_CLIPPED = 100

/** The rule that the masks and clip paths of the elements break; undefined when they are quick to draw. */
function brokenClippingRule(elements: readonly Element[]): string | undefined {
  const sheets = elements.filter(({ localName }) => localName === 'style')
  const classes = new Set<string>()
  for (const sheet of sheets) {
    const own = clippingClasses(sheet.textContent ?? '')
    if (own === undefined) {
      return 'must name classes only in the selectors of rules with mask or clip-path in <style>, such as .a, and have no rules in rules'
    }
    for (const name of own) classes.add(name)
  }
  const clipped = elements.filter((element) => isClipped(element, classes))
  if (clipped.some(isInMask)) {
    return 'must not have mask, clip-path or all on <mask>, <clipPath> and the elements in them, nor classes with them'
  }
  if (clipped.length > MOST_CLIPPED) {
    return `must have at most ${MOST_CLIPPED} elements with mask or clip-path; group the elements that share one`
  }
  return undefined
}

/**
 * Removes comments and strings. Both end where CSS ends them, so that no string hides a brace (CSS Syntax section
 * 4.3).
 */
const withoutText = (css: string): string =>
  css.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)|"[^"\r\n]*"|'[^'\r\n]*'/g, ' ')

/** Whether declarations set a mask or a clip path; `all` inherits that of the parent. `mask-type` refers to nothing. */
function clips(css: string): boolean {
  const properties = withoutText(css).replaceAll(/#[\w.-]+/g, '')
  return /mask(?!-type)|clip-path|(?<![\w-])all\s*:/i.test(properties)
}

/** The classes whose rules in a stylesheet clip; undefined when another selector could. */
function clippingClasses(sheet: string): readonly string[] | undefined {
  const css = withoutText(sheet)
  // An open string takes what follows it on its line.
  const hasOpenString = /["']/.test(css)
  const classes: string[] = []
  for (const rule of css.split('}')) {
    const at = rule.indexOf('{')
    const declarations = rule.slice(at + 1)
    if (!clips(declarations)) continue
    if (hasOpenString || declarations.includes('{')) return undefined
    for (const selector of rule.slice(0, Math.max(at, 0)).split(',')) {
      const [, name] = /^\s*\.([\w-]+)\s*$/.exec(selector) ?? []
      if (name === undefined) return undefined
      classes.push(name)
    }
  }
  return classes
}

function isClipped(element: Element, classes: ReadonlySet<string>): boolean {
  const own = (element.getAttribute('class') ?? '').split(/\s+/)
  return (
    element.hasAttribute('mask') ||
    element.hasAttribute('clip-path') ||
    clips(element.getAttribute('style') ?? '') ||
    own.some((name) => classes.has(name))
  )
}

function isInMask(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (at.localName === 'mask' || at.localName === 'clipPath') return true
  }
  return false
}
