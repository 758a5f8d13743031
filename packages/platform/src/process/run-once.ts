import type { Environment } from '../config/settings.ts'
import { startProblems } from './run-service.ts'

interface RunOnceOptions {
  /** Begins every line that the process prints about a problem. */
  readonly name: string
  readonly env: Environment
  readonly run: (env: Environment) => Promise<void>
}

/**
 * Runs one task to its end and exits with 0. A `ConfigurationError` or `StartFailure` becomes clear lines on standard
 * error and exit code 1.
 */
export async function runOnce({ name, env, run }: RunOnceOptions): Promise<void> {
  try {
    await run(env)
    process.exit(0)
  } catch (error) {
    for (const line of startProblems(error)) process.stderr.write(`${name}: ${line}\n`)
    process.exit(1)
  }
}
