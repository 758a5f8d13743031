import { parse } from 'yaml'
import type { Operation } from '../api/operation.ts'
import type { CommandContext } from '../command.ts'
import { textOf } from '../read-text.ts'
import { UsageError } from '../usage-error.ts'
import { setField } from './set-field.ts'

interface BodyArguments {
  /** YAML or JSON; `-` is standard input. */
  readonly file: string | undefined
  /** Each `field=value`; they go before what the file says. */
  readonly set: readonly string[]
}

/** The body of a request as the arguments say it. Throws UsageError when they are none or wrong. */
export async function requestBody(
  { schema }: NonNullable<Operation['body']>,
  { file, set }: BodyArguments,
  context: Pick<CommandContext, 'standardInput'>,
): Promise<Readonly<Record<string, unknown>>> {
  const { required = [] } = schema
  if (file === undefined && set.length === 0 && required.length > 0) {
    throw new UsageError(`give the fields with --set or --file; required are ${required.join(', ')}`)
  }
  const read = file === undefined ? {} : await readBody(file, context)
  return set.reduce<Readonly<Record<string, unknown>>>((body, one) => setField(body, one, schema), read)
}

async function readBody(file: string, context: Pick<CommandContext, 'standardInput'>) {
  const text = await textOf(file, context).catch((cause: unknown) => {
    throw new UsageError(`--file: ${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, {
      cause,
    })
  })
  const body: unknown = parseText(text, file)
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw new UsageError(`--file: ${file} must hold an object`)
}

function parseText(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new UsageError(
      `--file: ${file} is neither YAML nor JSON: ${(cause as Error).message.split('\n')[0]}`,
      {
        cause,
      },
    )
  }
}
