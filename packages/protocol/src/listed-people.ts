/** A person who gets an account with the invitation. */
export interface NewPerson {
  readonly address: string
  readonly userName: string
  readonly givenName: string
  readonly familyName: string
}

/** A list of people: those that it names, and its lines that are no address, counted from 1. */
export interface ListedPeople {
  readonly people: readonly NewPerson[]
  readonly problems: readonly { readonly line: number; readonly text: string }[]
}

/** Whether a text has the form of an address, as far as a browser can say; the server has the rule. */
const looksLikeAddress = (text: string): boolean => /^[^\s@<>,]+@[^\s@<>,]+$/.test(text)

/**
 * Reads a list of people: an address in each line, or `Erin Example <erin@acme.example>`. Empty lines and those that begin with #
 * are passed over, and so is an address that came before.
 */
export function readPeople(text: string, isAddress = looksLikeAddress): ListedPeople {
  const people = new Map<string, NewPerson>()
  const problems: { line: number; text: string }[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const person = readPerson(line, isAddress)
    if (person === undefined) problems.push({ line: at + 1, text: line.trim() })
    else if (!people.has(person.address.toLowerCase())) people.set(person.address.toLowerCase(), person)
  }
  return { people: [...people.values()], problems }
}

/** Reads an address, with a name before it or not; undefined when there is none. */
export function readPerson(text: string, isAddress = looksLikeAddress): NewPerson | undefined {
  const [, name = '', inBrackets] = /^\s*(.*?)\s*<([^<>]+)>\s*,?\s*$/.exec(text) ?? []
  const address = (inBrackets ?? text.replace(/,\s*$/, '')).trim()
  if (!isAddress(address)) return undefined
  const local = address.slice(0, address.lastIndexOf('@'))
  const { givenName, familyName } = namesOf(name.replaceAll('"', '').trim() || wordsOf(local))
  return { address, userName: local, givenName, familyName }
}

/** Divides a name at its last space; a name of one word is both. */
export function namesOf(name: string): Pick<NewPerson, 'givenName' | 'familyName'> {
  const at = name.trim().lastIndexOf(' ')
  if (at < 0) return { givenName: name.trim(), familyName: name.trim() }
  return { givenName: name.trim().slice(0, at).trim(), familyName: name.trim().slice(at + 1) }
}

/** `erin.example` as `Erin Example`. */
function wordsOf(local: string): string {
  const words = local.split(/[._+-]+/).filter((word) => word !== '')
  return words.map((word) => word.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())).join(' ') || local
}
