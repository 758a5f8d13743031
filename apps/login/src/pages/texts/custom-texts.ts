// The texts that an organization gives to its pages (docs/guides/page-texts.md).
import { type LoginText, type LoginTexts, PAGE_TEXTS } from '@signet/protocol/login-texts'
import type { Texts } from './message.ts'

/** The keys of texts without parameters: `login.title`. */
type KeyOf<T> = {
  [K in keyof T & string]: T[K] extends string
    ? K
    : T[K] extends (...values: never[]) => unknown
      ? never
      : `${K}.${KeyOf<T[K]>}`
}[keyof T & string]

/** Pages that ask what an application or role may do, that confirm who the user is, or that say what went wrong. */
type Fixed =
  | ('consent' | 'offeredRoles' | 'confirm' | 'applications' | 'throttled' | 'rejected' | 'reasons')
  | ('expired' | 'cookies' | 'notFound' | 'unavailable' | 'failure' | 'first' | 'logout' | 'signedOut')

/** A key that names no such text of the pages does not compile. */
const KEYS: Readonly<Record<LoginText, Exclude<KeyOf<Texts>, `${Fixed}.${string}`>>> = PAGE_TEXTS

/**
 * The texts of the pages with those of an organization in their places. They are plain text, neither ICU messages nor HTML,
 * and isolated: their direction is that of their first letter, and text around them keeps its own (UAX #9, FSI and PDI).
 */
export function withOwnTexts(texts: Texts, own: LoginTexts = {}): Texts {
  return Object.entries(own).reduce<Texts>(
    (result, [name, text]) => replaced(result, KEYS[name as LoginText].split('.'), `\u2068${text}\u2069`),
    texts,
  )
}

/** A copy of the tree with another text at the path; the rest is shared. */
function replaced<T>(tree: T, [key = '', ...rest]: readonly string[], text: string): T {
  const member = tree[key as keyof T]
  return { ...tree, [key]: rest.length === 0 ? text : replaced(member, rest, text) }
}
