import { readFileSync } from 'node:fs'

/** The 3,000 passwords of 8 characters and more that are guessed first, in lower case; shipped beside the sources. */
export function loadFrequentPasswords(): ReadonlySet<string> {
  const list = readFileSync(new URL('../../data/frequent-passwords.txt', import.meta.url), 'utf8')
  return new Set(list.trimEnd().split('\n'))
}
