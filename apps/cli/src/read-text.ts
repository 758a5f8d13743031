import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { CommandContext } from './command.ts'
import { UsageError } from './usage-error.ts'

/** What is in a file; `-` is standard input. Rejects with the error of the system when it cannot be read. */
export async function textOf(
  file: string,
  { standardInput }: Pick<CommandContext, 'standardInput'>,
): Promise<string> {
  return await (file === '-' ? text(Readable.from(standardInput())) : readFile(file, 'utf8'))
}

/** What is in a file; `-` is standard input. Throws UsageError when it cannot be read. */
export function readText(file: string, context: Pick<CommandContext, 'standardInput'>): Promise<string> {
  return textOf(file, context).catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause })
  })
}
