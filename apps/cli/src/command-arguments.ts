import { type ParseArgsConfig, parseArgs } from 'node:util'
import { StartFailure } from '@signet/service-runtime/start-failure'

/** `parseArgs` whose complaints are a StartFailure. */
export function commandArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new StartFailure(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
