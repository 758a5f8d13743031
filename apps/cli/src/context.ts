import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import type { Environment } from '@signet/platform/config/settings'
import type { Clock } from '@signet/platform/runtime/clock'
import { UsageError } from './exit-codes.ts'

/** The environment of a command besides its arguments. */
export interface CommandContext {
  /** Version of the command `signet`. */
  readonly version: string
  readonly now: Clock
  readonly env: Environment
  readonly fetch: typeof fetch
  readonly randomId: () => string
  readonly pause: (milliseconds: number) => Promise<void>
  /** May be larger than memory. */
  readonly standardInput: () => AsyncIterable<Uint8Array>
  /** Asks a question on the terminal; undefined where none can be asked. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined
  /** Asks for a text on the terminal; undefined where none can be asked. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  /** Opens an address in the browser of the user. Rejects when no program for that is there. */
  readonly openBrowser: (url: string) => Promise<void>
  /** Aborted by Ctrl-C from now on, once; the next Ctrl-C ends the process. */
  readonly interruption: () => AbortSignal
  /** Writes a line to standard output. */
  readonly say: (text: string) => void
  /** Writes a line to standard error, which a program that reads the output does not parse. */
  readonly note: (text: string) => void
}

/** Adds the command of these words, such as `keys list`, and its noun when it is the first of it. */
export type AddCommand = (words: string) => Command

/** The text of a file; `-` is standard input. Rejects with the error of the system when it cannot be read. */
export async function textOf(
  file: string,
  { standardInput }: Pick<CommandContext, 'standardInput'>,
): Promise<string> {
  return await (file === '-' ? text(Readable.from(standardInput())) : readFile(file, 'utf8'))
}

/** Returns a handler that throws UsageError for a file that cannot be read; `argument` names the option. */
export function createReadFailure(file: string, argument = ''): (cause: unknown) => never {
  return (cause) => {
    throw new UsageError(`${argument}${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, {
      cause,
    })
  }
}
