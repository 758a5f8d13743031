// Rules that the text of an SVG image obeys before it is parsed: the parser needs a second for text that breaks them, or
// accepts what XML does not.

/** Programs for drawing declare about ten. The parser copies those of an element to the elements in it. */
const MOST_NAMESPACES = 20
const MOST_NESTED = 100

const REFERENCE = /&(?:amp|lt|gt|quot|apos|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g

/** The rule that the text breaks; undefined when it may be parsed. */
export function brokenSvgTextRule(text: string): string | undefined {
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

/** Where markup begins in which `<` and `&` are text, and where it ends. */
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
