import { StartFailure } from '@signet/platform/process/service'
import { type CommandContext, textOf } from '../context.ts'

/** The secret that a file holds, without the white space around it; `-` is standard input. Rejects with StartFailure. */
export async function readSecretFile(
  file: string,
  context: Pick<CommandContext, 'standardInput'>,
): Promise<string> {
  const text = await textOf(file, context).catch((cause: unknown) => {
    throw new StartFailure(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause })
  })
  if (text.trim() === '') throw new StartFailure(`${file} is empty`)
  return text.trim()
}
