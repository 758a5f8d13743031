import { emailAddressKey, emailAddressProblem } from '@signet/protocol/email-address'
import { UsageError } from '../exit-codes.ts'

/** A person who gets an account with the invitation. */
export interface NewPerson {
  readonly address: string
  readonly userName: string
  readonly givenName: string
  readonly familyName: string
}

const MOST_PROBLEMS = 20

/**
 * Reads a list of people: an address in each line, or `Erin Example <erin@acme.example>`. Empty lines and those that begin with #
 * are passed over, and so is an address that came before. Throws UsageError that names each line that is no address.
 */
export function readPeople(text: string): readonly NewPerson[] {
  const people = new Map<string, NewPerson>()
  const problems: string[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const person = readPerson(line)
    if (person === undefined) problems.push(`line ${at + 1}: "${line.trim()}"`)
    else if (!people.has(emailAddressKey(person.address))) people.set(emailAddressKey(person.address), person)
  }
  if (problems.length > 0) {
    const more = problems.length > MOST_PROBLEMS ? ` and ${problems.length - MOST_PROBLEMS} more` : ''
    throw new UsageError(
      `nobody was invited: write an address in each line, or Erin Example <erin@acme.example>; ${problems.slice(0, MOST_PROBLEMS).join(', ')}${more}`,
    )
  }
  return [...people.values()]
}

/** Reads an address, with a name before it or not; undefined when there is none. */
export function readPerson(text: string): NewPerson | undefined {
  const [, name = '', inBrackets] = /^\s*(.*?)\s*<([^<>]+)>\s*,?\s*$/.exec(text) ?? []
  const address = (inBrackets ?? text.replace(/,\s*$/, '')).trim()
  if (emailAddressProblem(address) !== undefined) return undefined
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
