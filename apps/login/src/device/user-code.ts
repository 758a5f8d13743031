import type { RandomBytes } from '../sessions/browser.ts'

// The code that a person types (RFC 8628 section 6.1): eight of twenty letters, 2.5 * 10^10 codes. Without vowels it spells no word, without
// digits no letter looks like another.

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
/** Bytes from here on would make some letters more likely. */
const USED_BYTES = 256 - (256 % LETTERS.length)

export function newUserCode(random: RandomBytes): string {
  let code = ''
  while (code.length < LENGTH) {
    for (const byte of random(LENGTH)) {
      if (byte < USED_BYTES && code.length < LENGTH) code += LETTERS[byte % LETTERS.length]
    }
  }
  return code
}

const TYPED = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)
/** Longer than any way to write a code. */
const LONGEST_TYPED = 64

/** Returns the code that a person typed, in any case and width, with any spaces and dashes; undefined for another text. */
export function readUserCode(typed: string): string | undefined {
  if (typed.length > LONGEST_TYPED) return undefined
  const code = typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Dash}_.]/gu, '')
  return TYPED.test(code) ? code : undefined
}

/** The code as devices and pages show it. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
