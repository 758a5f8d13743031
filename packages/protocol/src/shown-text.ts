// Characters of texts that are shown to others: names of people and objects, and texts of pages.

/**
 * Characters that are not shown and could reorder or break the text around them: control characters, separators of lines,
 * halves of surrogate pairs, and the formatting characters of the bidirectional algorithm (UAX #9).
 */
const NOT_SHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/**
 * Sequences in which characters without a form of their own change the characters around them: emoji, joiners between
 * letters, and variation selectors of Han and Mongolian letters.
 */
const SEQUENCES = new RegExp(
  [
    // Needs the flag v, which no literal has below the target ES2024.
    String.raw`\p{RGI_Emoji}|\p{Emoji}\ufe0e`,
    String.raw`(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L})`,
    String.raw`(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]`,
    String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
  ].join('|'),
  'gv',
)

/** Characters that show nothing; U+2800 is the empty braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/u

/** The text without the characters that only change others; an emoji is one visible character. */
const withoutSequences = (text: string): string =>
  text.replace(SEQUENCES, (sequence) => (/\p{Emoji}/u.test(sequence) ? '☺' : ''))

/** A joiner after letters that do not join: in a name it shows nothing. */
const NEEDLESS_JOINER = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}][\u200c\u200d]/u

const NO_INVISIBLE = 'must have no invisible characters except in emoji and between letters'

/** The rule that a text breaks by characters that are not shown; undefined for one that may be shown. */
export function shownTextProblem(text: string): string | undefined {
  if (NOT_SHOWN.test(text)) return 'must have no control characters and none that change the direction'
  return INVISIBLE.test(withoutSequences(text)) ? NO_INVISIBLE : undefined
}

/** The same for the name of a person or an object, which must not look like another one. */
export const shownNameProblem = (name: string): string | undefined =>
  shownTextProblem(name) ?? (NEEDLESS_JOINER.test(name) ? NO_INVISIBLE : undefined)

/** Whether a text has a character that is seen. */
export const hasVisibleCharacter = (text: string): boolean =>
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(withoutSequences(text))
