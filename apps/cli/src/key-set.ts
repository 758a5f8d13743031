import { type KeySet, readKeySet } from '@signet/file-formats/archive/manifest'
import { type CommandContext, createReadFailure, textOf } from './context.ts'
import { CommandError, UsageError } from './exit-codes.ts'

/** The key set in a file or at a URL, as the option --keys names it. */
export async function keySetAt(
  place: string,
  context: Pick<CommandContext, 'fetch' | 'standardInput'>,
): Promise<KeySet> {
  const text = /^https?:\/\//.test(place)
    ? await fetchText(place, context)
    : await textOf(place, context).catch(createReadFailure(place, '--keys: '))
  const keySet = readKeySet(text)
  if (keySet === undefined) throw new UsageError(`--keys: ${place} is not a JSON Web Key Set`)
  return keySet
}

async function fetchText(url: string, { fetch }: Pick<CommandContext, 'fetch'>): Promise<string> {
  const response = await fetch(url).catch((cause: unknown) => {
    throw new CommandError('unavailable', `${url} cannot be reached`, { cause })
  })
  if (!response.ok) throw new CommandError('unavailable', `${url} returned ${response.status}`)
  return await response.text()
}
