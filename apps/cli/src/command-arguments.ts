import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

/** `parseArgs` whose complaints are a UsageError. */
export function commandArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
