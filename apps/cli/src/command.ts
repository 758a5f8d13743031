import type { Clock } from '@signet/service-runtime/clock'
import type { Environment } from '@signet/service-runtime/settings'

/** What a command may use besides its arguments. */
export interface CommandContext {
  readonly now: Clock
  readonly env: Environment
  readonly fetch: typeof fetch
  /** Writes a line to standard output. */
  readonly say: (text: string) => void
}

export interface Command {
  /** Arguments and what it does, as shown by `signet --help`. */
  readonly usage: string
  /** Runs with what follows the command's name. Throws StartFailure for what the caller has to change. */
  run(args: readonly string[], context: CommandContext): Promise<void>
}
