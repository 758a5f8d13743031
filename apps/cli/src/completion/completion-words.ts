import type { Commands } from '../command.ts'

/** What may follow the beginning of a command line, `signet` itself left out. */
export interface WordsAfter {
  /** Words with a space behind each. */
  readonly beginning: string
  /** Whether other words may come in between. */
  readonly anywhere: boolean
  readonly words: readonly string[]
}

/** Nouns, then their verbs, then the options of each command. */
export function completionWords(commands: Commands): readonly WordsAfter[] {
  const names = Object.keys(commands).map((name) => name.split(' '))
  const nouns = [...new Set(names.map(([noun = '']) => noun))]
  return [
    { beginning: ' ', anywhere: false, words: nouns },
    ...nouns.map((noun) => ({
      beginning: `${noun} `,
      anywhere: false,
      words: names.flatMap(([first, verb]) => (first === noun && verb !== undefined ? [verb] : [])),
    })),
    ...Object.entries(commands).map(([name, { synopsis }]) => ({
      beginning: `${name} `,
      anywhere: true,
      words: [...(synopsis.match(/--[a-z-]+/g) ?? []), '--help'],
    })),
  ].filter(({ words }) => words.length > 0)
}
