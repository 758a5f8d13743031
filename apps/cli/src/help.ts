import type { Commands } from './command.ts'
import { EXIT_CODES } from './exit-code.ts'
import { table } from './output/table.ts'

/** What `--help` shows after the words of a command, of a noun, or of nothing. Undefined when they name neither. */
export function helpOn(words: readonly string[], commands: Commands): string | undefined {
  const names = Object.keys(commands)
  const name = names.find((known) => `${words.join(' ')} `.startsWith(`${known} `))
  if (name !== undefined) return commandHelp(name, commands)
  const [noun] = words
  const shown = names.filter((known) => noun === undefined || known.split(' ')[0] === noun)
  if (shown.length === 0) return undefined
  const list = table(shown.map((known) => [`signet ${known}`, commands[known]?.summary ?? '']))
  return noun === undefined ? `${list}\n\n${TRAILER}` : list
}

function commandHelp(name: string, commands: Commands): string {
  const { synopsis, summary, details } = commands[name] ?? { synopsis: '', summary: '' }
  const head = `signet ${name} ${synopsis}`.trimEnd()
  return [`${head}\n    ${summary}`, ...(details ? [details] : [])].join('\n\n')
}

const TRAILER = `signet COMMAND --help shows the arguments of a command, signet --version the version.

Exit codes
${table(Object.entries(EXIT_CODES).map(([code, meaning]) => [`  ${code}`, meaning]))}`
