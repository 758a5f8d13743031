import { UsageError } from './usage-error.ts'

/** The one argument of a command. Throws UsageError when there is none, or more. */
export function oneArgument(positionals: readonly string[], name: string): string {
  const [value, ...rest] = positionals
  if (value === undefined || value === '' || rest.length > 0)
    throw new UsageError(`give one argument: ${name}`)
  return value
}
