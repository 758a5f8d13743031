// Masks and clip paths of an SVG image. A browser draws what one refers to once for each reference: references inside masks
// multiply, and five levels of ten take seconds.
import type { Element } from '@xmldom/xmldom'

/** Each draws the whole mask again. */
const MOST_CLIPPED = 100

/** The rule that the masks and clip paths of the elements break; undefined when they are quick to draw. */
export function brokenClippingRule(elements: readonly Element[]): string | undefined {
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

/** Without comments and strings. Both end where CSS ends them, so that no string hides a brace (CSS Syntax section 4.3). */
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
