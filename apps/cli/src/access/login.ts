import { readSettings } from '@signet/platform/config/settings'
import { StartFailure } from '@signet/platform/process/start-failure'
import { ManagementApiError } from '../api/management-api-error.ts'
import type { Command, CommandContext } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { textOf } from '../read-text.ts'
import { UsageError } from '../usage-error.ts'
import { loginFile, type StoredLogin, storeLogin } from './stored-login.ts'
import { callerOf } from './suite-access.ts'

/** Proves credentials and keeps them for the commands that follow. */
export const login: Command = {
  synopsis: '--issuer URL (--token-file FILE | --client-id ID --client-secret-file FILE)',
  summary: 'signs in with a personal access token, or as a service user with a client secret',
  details: `The file may be - for standard input. What it holds is kept in signet/login.json in the user's folder for
settings, readable by the user alone. SIGNET_ISSUER with SIGNET_TOKEN, where set, go before it.`,
  async run(args, context) {
    const stored = await readLogin(args, context)
    await prove(stored, context)
    const file = loginFile(context.env)
    await storeLogin(file, stored)
    context.say(`signed in at ${stored.issuer}; kept in ${file}`)
  },
}

async function readLogin(args: readonly string[], context: CommandContext): Promise<StoredLogin> {
  const options = {
    issuer: { type: 'string' },
    'token-file': { type: 'string' },
    'client-id': { type: 'string' },
    'client-secret-file': { type: 'string' },
  } as const
  const { values } = commandArguments({ args: [...args], options })
  const named = values.issuer === undefined ? context.env : { ...context.env, SIGNET_ISSUER: values.issuer }
  const { SIGNET_ISSUER: issuer } = readSettings(named, ['SIGNET_ISSUER'])
  const { 'token-file': tokenFile, 'client-id': clientId, 'client-secret-file': secretFile } = values
  if (tokenFile !== undefined && clientId === undefined && secretFile === undefined) {
    return { issuer, token: await readSecret(tokenFile, context) }
  }
  if (tokenFile === undefined && clientId !== undefined && secretFile !== undefined) {
    return { issuer, clientId, clientSecret: await readSecret(secretFile, context) }
  }
  throw new UsageError('give either --token-file, or --client-id and --client-secret-file')
}

async function readSecret(file: string, context: CommandContext): Promise<string> {
  const text = await textOf(file, context).catch((cause: unknown) => {
    throw new StartFailure(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause })
  })
  if (text.trim() === '') throw new StartFailure(`${file} is empty`)
  return text.trim()
}

async function prove(stored: StoredLogin, context: CommandContext): Promise<void> {
  const request = { method: 'GET', path: '/management/v1/organizations?limit=1', repeatable: true }
  try {
    await callerOf(stored, context)(request)
  } catch (error) {
    // Whom the suite knows may sign in; what they may do is for each command to find out.
    if (!(error instanceof ManagementApiError) || error.status !== 403) throw error
  }
}
