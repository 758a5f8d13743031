import { rm } from 'node:fs/promises'
import { readSettings } from '@signet/platform/config/settings'
import { StartFailure } from '@signet/platform/process/service'
import { ManagementApiError } from '../api/errors.ts'
import { type AddCommand, type CommandContext, textOf } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { loginFile, type StoredLogin, storeLogin } from './stored-login.ts'
import { suiteOf } from './suite-access.ts'

interface LoginOptions {
  readonly issuer?: string | undefined
  readonly tokenFile?: string | undefined
  readonly clientId?: string | undefined
  readonly clientSecretFile?: string | undefined
}

/** `login` checks credentials and stores them for later commands; `logout` deletes them. */
export function addAccessCommands(add: AddCommand, context: CommandContext): void {
  add('login')
    .description('signs in with a personal access token, or as a service user with a client secret')
    .option('--issuer <url>', 'the public origin of the suite')
    .option('--token-file <file>', 'holds a personal access token')
    .option('--client-id <id>', 'the client id of a service user')
    .option('--client-secret-file <file>', 'holds its client secret')
    .addHelpText(
      'after',
      `
Give --token-file, or --client-id and --client-secret-file. The file may be - for standard input. Its content is kept in
signet/login.json in the user's folder for settings, readable by the user alone. SIGNET_ISSUER with SIGNET_TOKEN, where
set, go before it.`,
    )
    .action(async (options) => {
      const login = await readLogin(options, context)
      await checkLogin(login, context)
      const file = loginFile(context.env)
      await storeLogin(file, login)
      context.say(`signed in at ${login.issuer}; kept in ${file}`)
    })

  add('logout')
    .description('forgets the login of this machine; the token or secret itself stays valid')
    .action(async () => {
      const file = loginFile(context.env)
      await rm(file, { force: true })
      context.say(`${file} holds no login any more`)
    })
}

async function readLogin(options: LoginOptions, context: CommandContext): Promise<StoredLogin> {
  const { tokenFile, clientId, clientSecretFile } = options
  const env = options.issuer === undefined ? context.env : { ...context.env, SIGNET_ISSUER: options.issuer }
  const { SIGNET_ISSUER: issuer } = readSettings(env, ['SIGNET_ISSUER'])
  if (tokenFile !== undefined && clientId === undefined && clientSecretFile === undefined) {
    return { issuer, token: await readSecret(tokenFile, context) }
  }
  if (tokenFile === undefined && clientId !== undefined && clientSecretFile !== undefined) {
    return { issuer, clientId, clientSecret: await readSecret(clientSecretFile, context) }
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

async function checkLogin(login: StoredLogin, context: CommandContext): Promise<void> {
  const params = { query: { limit: 1 } }
  try {
    await suiteOf(login, context).management.GET('/management/v1/organizations', { params })
  } catch (error) {
    // A known user may sign in without roles; each command finds out what the user may do.
    if (!(error instanceof ManagementApiError) || error.status !== 403) throw error
  }
}
