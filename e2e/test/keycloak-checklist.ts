import { execFile } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { childEnvironment, testedProgram } from '@signet/testing/child-environment'
import { ADMIN_TOKEN } from '@signet/testing/system/test-directory'
import type { Credentials } from './keycloak-client-sign-ins.ts'

const execute = promisify(execFile)

/** Runs a line of the terminal of an administrator, which has the command `signet`. Rejects with its complaint. */
export type Terminal = (line: string) => Promise<string>

export async function createTerminal(folder: string, issuer: string): Promise<Terminal> {
  const bin = join(folder, 'bin')
  const quoted = [process.execPath, ...testedProgram('cli')].map((word) => `'${word}'`).join(' ')
  await mkdir(bin)
  await writeFile(join(bin, 'signet'), `#!/bin/sh\nexec ${quoted} "$@"\n`)
  await chmod(join(bin, 'signet'), 0o755)
  const known = childEnvironment()
  const env = { ...known, PATH: `${bin}:${known.PATH}`, SIGNET_ISSUER: issuer, SIGNET_TOKEN: ADMIN_TOKEN }
  return async (line) => {
    const { stdout } = await execute('sh', ['-c', line], { env, maxBuffer: 64 * 1_048_576 }).catch(
      (error: { readonly stderr: string }) => {
        throw new Error(`${line}: ${error.stderr}`)
      },
    )
    return stdout
  }
}

/** The commands that a checklist prints. */
export const commandsOf = (checklist: string): readonly string[] =>
  [...checklist.matchAll(/^ {6}(signet .*)$/gm)].map(([, command = '']) => command)

/** The scopes that a checklist says to ask for, by client id. */
export function scopesOf(checklist: string): ReadonlyMap<string, string> {
  const scopes = new Map<string, string>()
  let clientId = ''
  for (const line of checklist.split('\n')) {
    clientId = /^(\S+): \d+ of \d+ done$/.exec(line)?.[1] ?? clientId
    const [, asked] = /ask for the scopes? (.+?)(, which .*)?$/.exec(line) ?? []
    if (asked === undefined) continue
    const known = scopes.get(clientId)
    scopes.set(clientId, `${known === undefined ? '' : `${known} `}${asked.replaceAll(' and ', ' ')}`)
  }
  return scopes
}

/**
 * Types commands as they are printed, and what `signet why` prints as the cure of a URI that is not registered. Keeps the secrets
 * and keys that they print. Returns the lines that were typed.
 */
export async function typeCommands(
  terminal: Terminal,
  commands: readonly string[],
  { secrets, keys }: Credentials,
): Promise<readonly string[]> {
  const typed: string[] = []
  for (const line of commands) {
    const printed = await terminal(line)
    typed.push(line)
    const member = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(printed)?.[1] ?? ''
    if (/ rotate-secret /.test(line)) {
      const [, serviceUser] = /^signet service-user rotate-secret (\S+)$/.exec(line) ?? []
      secrets.set(member('clientId'), member('clientSecret'))
      // Its program is known by the name that the list gave it.
      if (serviceUser !== undefined) secrets.set(serviceUser, member('clientSecret'))
    }
    if (/ application-key create /.test(line)) {
      const { keyFile } = JSON.parse(printed) as { readonly keyFile: { readonly clientId: string } }
      keys.set(keyFile.clientId, JSON.stringify(keyFile))
    }
    if (!line.startsWith('signet why ')) continue
    const cures = [...printed.matchAll(/^ +Cure: (signet application update .*Uris\+=.*)$/gm)]
    for (const cure of new Set(cures.map(([, command = '']) => command))) {
      await terminal(cure)
      typed.push(cure)
    }
  }
  return typed
}
