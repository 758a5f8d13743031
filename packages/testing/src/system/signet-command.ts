import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { childEnvironment, testedProgram } from '../child-environment.ts'

/** Runs the command `signet` in a process of its own and answers what it said. Rejects with its complaint. */
export async function signetCommand(
  args: readonly string[],
  { issuer, token }: { readonly issuer: string; readonly token: string },
): Promise<string> {
  const child = spawn(process.execPath, [...testedProgram('cli'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...childEnvironment(), SIGNET_ISSUER: issuer, SIGNET_TOKEN: token },
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(err)
  return out
}
