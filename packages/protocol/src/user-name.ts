// User names: UsernameCaseMapped of RFC 8265 section 3.3, compared by case folding, so that two names that look the same
// are not two accounts.
import { asciiDomain } from './domain-name.ts'

const MOST_CHARACTERS = 200

/** Wide and narrow forms of characters (RFC 8265 section 3.3.2, width mapping) but the macron, which no name may have. */
const WIDTH_FORMS = /[\u3000\uff01-\uffe2\uffe4-\uffee]/gu

/** IdentifierClass (RFC 8264 section 4.2), and single spaces between the parts of a name (RFC 8265 section 3.1). */
const CHARACTER = String.raw`[\p{L}\p{M}\p{Nd}\u00b7\u05f3\u05f4\u3007\u30fb\x21-\x7e]+`
const CHARACTERS = new RegExp(`^${CHARACTER}( ${CHARACTER})*$`, 'u')

const IGNORED = /\p{Default_Ignorable_Code_Point}/u

const SCRIPTS =
  'Latin Greek Cyrillic Armenian Hebrew Arabic Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Khmer Mongolian Hiragana Katakana Bopomofo Han Cherokee Coptic'
    .split(' ')
    .map((name) => [name, new RegExp(String.raw`\p{Script=${name}}`, 'u')] as const)

/** Scripts that are written together (UTS #39 section 5.2, highly restrictive). */
const WRITTEN_TOGETHER = ['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul'].map(
  (names) => new Set(names.split(' ')),
)

/** The user name as it is stored: without spaces around, NFC, wide and narrow forms mapped. */
export function preparedUserName(text: string): string {
  const mapped = text.replace(WIDTH_FORMS, (character) => character.normalize('NFKC'))
  return mapped.normalize('NFC').trim()
}

/** The rule that a prepared user name breaks; undefined for one that an account may have. */
export function userNameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty'
  if ([...name].length > MOST_CHARACTERS) return `may have at most ${MOST_CHARACTERS} characters`
  if (IGNORED.test(name)) return 'must have no invisible characters'
  if (!CHARACTERS.test(name) || name.normalize('NFKC') !== name)
    return 'must have letters, digits, ASCII punctuation and single spaces only'
  const [user, domain = ''] = partsOf(name)
  return [user, ...domain.split('.')].some(mixesScripts)
    ? 'must not mix the letters of several scripts'
    : undefined
}

/** The user name as it is compared: case folded, so that `straße`, `STRASSE` and `strasse` are one, its domain in ASCII. */
export function userNameKey(text: string): string {
  const key = folded(preparedUserName(text))
  const [user, domain] = partsOf(key)
  const ascii = domain === undefined ? undefined : asciiDomain(domain)
  return ascii === undefined ? key : `${user}@${ascii}`
}

/** Case folding (Unicode 3.13, full, without Turkic) by the mappings of the runtime; dotless i is a letter of its own. */
function folded(text: string): string {
  const parts = text.toLowerCase().split('ı')
  return parts
    .map((part) => part.toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
    .join('ı')
    .normalize('NFC')
}

/** The name, or the parts before and after the last @. */
function partsOf(name: string): readonly [string, string?] {
  const at = name.lastIndexOf('@')
  return at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)]
}

function mixesScripts(part: string): boolean {
  const scripts = new Set<string>()
  for (const character of part) {
    if (!/\p{L}/u.test(character) || /[\p{Script=Common}\p{Script=Inherited}]/u.test(character)) continue
    scripts.add(SCRIPTS.find(([, script]) => script.test(character))?.[0] ?? 'other')
  }
  return (
    scripts.size > 1 &&
    !WRITTEN_TOGETHER.some((together) => [...scripts].every((script) => together.has(script)))
  )
}
