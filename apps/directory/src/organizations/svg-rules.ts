// Which SVG images an organization may show on its pages. SVG can hold script, styles and references, so that only a list of
// elements and attributes is accepted. The file is stored as it came, and it is served with a policy under which it runs
// and loads nothing: a parser that reads it in another way finds no script either.
import { DOMParser, type Element, onWarningStopParsing } from '@xmldom/xmldom'
import { brokenClippingRule } from './svg-clipping.ts'
import { brokenSvgTextRule } from './svg-text.ts'

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
