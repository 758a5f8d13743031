import { isCloseTo } from '@signet/platform/config/settings'

/** Other words for verbs, in the order in which the verbs of a noun are tried. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  get: ['read', 'show', 'list'],
  show: ['read', 'show'],
  view: ['read', 'show'],
  describe: ['read', 'show'],
  read: ['show', 'list'],
  ls: ['list'],
  new: ['create', 'add'],
  add: ['create', 'add'],
  make: ['create', 'add'],
  create: ['add', 'create'],
  edit: ['update', 'set'],
  change: ['update', 'set'],
  set: ['update', 'set'],
  update: ['set', 'update'],
  rm: ['delete', 'end'],
  remove: ['delete', 'end'],
}

/** The candidate that a mistyped word is likely to stand for; undefined when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_.]/g, '')
  const same = candidates.find((candidate) => plain(candidate) === plain(word))
  if (same !== undefined) return same
  const plurals = [`${lower}s`, lower.replace(/s$/, ''), lower.replace(/ies$/, 'y')]
  const plural = candidates.find((candidate) => plurals.includes(candidate.toLowerCase()))
  if (plural !== undefined) return plural
  // Two changed letters turn a short word into any other.
  const close = lower.length > 3 && candidates.find((candidate) => isCloseTo(candidate.toLowerCase(), lower))
  return close || shortestBeginningWith(lower, candidates)
}

/** `org` begins organization, organization-member and organization-metadata: the first of them. */
function shortestBeginningWith(word: string, candidates: readonly string[]): string | undefined {
  const [shortest, ...others] = candidates
    .filter((candidate) => word.length > 1 && candidate.startsWith(word))
    .sort((a, b) => a.length - b.length)
  return shortest !== undefined && others.every((other) => other.startsWith(shortest)) ? shortest : undefined
}

/** The verb of a noun that another word means. */
export function nearestVerb(word: string, verbs: readonly string[]): string | undefined {
  if (verbs.includes(word)) return word
  const synonyms = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined
  return synonyms?.find((verb) => verbs.includes(verb)) ?? nearest(word, verbs)
}
