import type { Environment } from '@signet/platform/config/settings'
import type { Clock } from '@signet/platform/runtime/clock'

/** What a command may use besides its arguments. */
export interface CommandContext {
  /** Of the command `signet` itself. */
  readonly version: string
  readonly now: Clock
  readonly env: Environment
  readonly fetch: typeof fetch
  readonly randomId: () => string
  readonly pause: (milliseconds: number) => Promise<void>
  /** Whoever takes it reads it as it comes; it may be larger than memory. */
  readonly standardInput: () => AsyncIterable<Uint8Array>
  /** Writes a line to standard output. */
  readonly say: (text: string) => void
  /** Writes a line to standard error: what a program that reads the output must not meet. */
  readonly note: (text: string) => void
}

export interface Command {
  /** What follows the command's name. */
  readonly synopsis: string
  /** What it does, beginning with a verb. */
  readonly summary: string
  /** What else `--help` of this command shows. */
  readonly details?: string
  /** Runs with what follows the command's name. Throws what `exitCodeOf` knows for what the caller has to change. */
  run(args: readonly string[], context: CommandContext): Promise<void>
}

export type Commands = Readonly<Record<string, Command>>
