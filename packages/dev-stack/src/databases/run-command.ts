import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RunAs } from './guarded-process.ts'

export interface CommandResult {
  /** Undefined when the program could not be started or was ended by a signal. */
  readonly code: number | undefined
  /** Standard output and error, trimmed. */
  readonly output: string
}

/** Runs a short program to its end. Never throws: a missing program is a result without a code. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: { readonly runAs?: RunAs; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CommandResult> {
  const child = spawn(command, args, {
    // A system user may not be allowed into the folder that this process runs in.
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.env === undefined ? {} : { env: options.env }),
    ...options.runAs,
  })
  let output = ''
  const collect = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return { code: code ?? undefined, output: output.trim() }
  } catch (error) {
    return { code: undefined, output: error instanceof Error ? error.message : String(error) }
  }
}
