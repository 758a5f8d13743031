import type { Clock } from '@signet/service-runtime/clock'

/** What a command may use besides its arguments. */
export interface CommandContext {
  readonly now: Clock
  /** Writes a line to standard output. */
  readonly say: (text: string) => void
}

export interface Command {
  /** Arguments and what it does, as shown by `signet --help`. */
  readonly usage: string
  /** Runs with what follows the command's name. Throws StartFailure for what the caller has to change. */
  run(args: readonly string[], context: CommandContext): Promise<void>
}
