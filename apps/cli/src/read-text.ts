import { readFile } from 'node:fs/promises'
import type { CommandContext } from './command.ts'
import { UsageError } from './usage-error.ts'

/** What is in a file; `-` is standard input. Throws UsageError when it cannot be read. */
export function readText(
  file: string,
  { readStandardInput }: Pick<CommandContext, 'readStandardInput'>,
): Promise<string> {
  return (file === '-' ? readStandardInput() : readFile(file, 'utf8')).catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause })
  })
}
