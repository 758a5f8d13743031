/** Reason for refusing a password: many people use it, or it takes too few guesses. */
export type Weakness = 'password_common' | 'password_weak'

/**
 * Returns the reason why the password, in NFC, is easy to guess for an attacker with the words; undefined when it is
 * not.
 */
export type FindWeakness = (password: string, words: readonly string[]) => Promise<Weakness | undefined>

/**
 * The time grows with the square of the length: 32 characters take at most 10 ms, 256 would take 100 ms. Further
 * characters make a password only stronger, so leaving them out accepts nothing that is weak.
 */
const CHARACTERS = 32
const WORDS = 20
const WORD_CHARACTERS = 64

/** Characters around one word that are no letters: `Sommer2026!` has 5. */
const AROUND_A_WORD = 6
const SCORE_OF_ONE_WORD = 2

/**
 * Estimates the number of guesses with zxcvbn and refuses a score (1 to 4) below `minScore`. Dictionaries of English and
 * German, 35 MB of memory, are loaded by the first password.
 */
export function createWeaknessCheck(minScore: number): FindWeakness {
  return async (password, words) => {
    loaded ??= loadEstimator()
    const estimate = await loaded
    const shortened = password.slice(0, CHARACTERS)
    const inputs = userInputs(words)
    const { score, sequence } = estimate(shortened, inputs)
    const [match, ...others] = sequence
    if (others.length === 0 && match?.dictionaryName === 'passwords') return 'password_common'
    const isOneWord = score > SCORE_OF_ONE_WORD && isWordWithFewOthers(shortened, inputs, estimate)
    return Math.min(score, isOneWord ? SCORE_OF_ONE_WORD : 4) < minScore ? 'password_weak' : undefined
  }
}

type Estimate = Awaited<ReturnType<typeof loadEstimator>>

/** zxcvbn takes the digits and symbols around a word for random ones, but people choose years and `!`. */
function isWordWithFewOthers(password: string, inputs: string[], estimate: Estimate): boolean {
  const word = password.replaceAll(/^\P{L}+|\P{L}+$/gu, '')
  if (word === '' || password.length - word.length > AROUND_A_WORD) return false
  const [match, ...others] = estimate(word, inputs).sequence
  return others.length === 0 && match?.pattern === 'dictionary'
}

/** The words as they are and without spaces, and their parts. */
function userInputs(words: readonly string[]): string[] {
  const parts = words.flatMap((word) => {
    const split = word.split(/[^\p{L}\p{N}]+/u)
    return [word, split.join(''), ...split]
  })
  const usable = parts.map((part) => part.slice(0, WORD_CHARACTERS)).filter(({ length }) => length > 2)
  return [...new Set(usable)].slice(0, WORDS)
}

let loaded: ReturnType<typeof loadEstimator> | undefined

async function loadEstimator() {
  const [{ ZxcvbnFactory }, common, en, de] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
    import('@zxcvbn-ts/language-de'),
  ])
  const lists = Object.entries({ ...common.dictionary, ...en.dictionary, ...de.dictionary })
  const named = (pattern: RegExp) => lists.filter(([name]) => pattern.test(name)).map(([, list]) => list)
  const factory = new ZxcvbnFactory({
    // Three dictionaries and not 24: each costs a pass over all parts of the password, ten times the time in all.
    dictionary: {
      passwords: inOrderOfRank(named(/^passwords/)),
      names: inOrderOfRank(named(/^(first|last)names/)),
      words: inOrderOfRank(named(/^(?!passwords|firstnames|lastnames|diceware)/)),
    },
    graphs: common.adjacencyGraphs,
    // The default of 100 takes a hundred times as long for a password full of digits and symbols.
    l33tMaxSubstitutions: 10,
  })
  return (password: string, inputs: string[]) => factory.check(password, inputs)
}

/** Merges the lists into one, the most frequent entries of each first. */
function inOrderOfRank(lists: readonly (readonly (string | number)[])[]): string[] {
  const merged = new Set<string>()
  for (let rank = 0; lists.some(({ length }) => rank < length); rank += 1) {
    for (const list of lists) {
      const entry = list[rank]
      if (entry !== undefined) merged.add(`${entry}`.toLowerCase())
    }
  }
  return [...merged]
}
