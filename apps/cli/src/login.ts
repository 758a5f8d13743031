import { rm } from 'node:fs/promises'
import { readSettings } from '@signet/platform/config/settings'
import { ManagementApiError } from '../api/errors.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { CLI_CLIENT_ID, signInWithBrowser } from './browser-login.ts'
import { readSecretFile } from './secret-file.ts'
import { type BrowserLogin, findLogin, loginFile, type StoredLogin, storeLogin } from './stored-login.ts'
import { suiteOf } from './suite-access.ts'

interface LoginOptions {
  readonly issuer?: string | undefined
  readonly tokenFile?: string | undefined
  readonly clientId?: string | undefined
  readonly clientSecretFile?: string | undefined
  readonly browser: boolean
}

/** `login` checks credentials and stores them for later commands; `logout` deletes them. */
export function addAccessCommands(add: AddCommand, context: CommandContext): void {
  add('login')
    .description('signs in with the browser, with a personal access token, or as a service user')
    .option('--issuer <url>', 'the public origin of the suite')
    .option('--token-file <file>', 'holds a personal access token')
    .option('--client-id <id>', 'the client id of a service user, or of the application for the browser')
    .option('--client-secret-file <file>', "holds the service user's client secret")
    .option('--no-browser', 'writes the address of the sign-in page and opens no browser')
    .addHelpText(
      'after',
      `
Without a file it signs a person in with the browser of this machine, through the application signet-cli, which an
IAM_OWNER makes with signet application create cli. Elsewhere give --token-file, or --client-id and
--client-secret-file; the file may be - for standard input. The login is kept in signet/login.json in the user's folder
for settings, readable by the user alone. SIGNET_ISSUER with SIGNET_TOKEN, where set, go before it.`,
    )
    .action(async (options) => {
      const login = await acceptedLogin(await readLogin(options, context), options, context)
      const file = loginFile(context.env)
      await storeLogin(file, login)
      context.say(`signed in at ${login.issuer}; kept in ${file}`)
    })

  add('logout')
    .description(
      'deletes the login of this machine; revokes its tokens if they come from a sign-in with the browser',
    )
    .action(async () => {
      const file = loginFile(context.env)
      // An unreadable login file is deleted, too.
      const login = await findLogin(file).catch(() => undefined)
      await rm(file, { force: true })
      if (login !== undefined && 'refreshToken' in login) await revoke(login, context)
      context.say(`${file} holds no login any more`)
    })
}

async function readLogin(options: LoginOptions, context: CommandContext): Promise<StoredLogin> {
  const { tokenFile, clientId, clientSecretFile } = options
  const env = options.issuer === undefined ? context.env : { ...context.env, SIGNET_ISSUER: options.issuer }
  const { SIGNET_ISSUER: issuer } = readSettings(env, ['SIGNET_ISSUER'])
  if (tokenFile !== undefined && clientId === undefined && clientSecretFile === undefined) {
    return { issuer, token: await readSecretFile(tokenFile, context) }
  }
  if (tokenFile === undefined && clientId !== undefined && clientSecretFile !== undefined) {
    return { issuer, clientId, clientSecret: await readSecretFile(clientSecretFile, context) }
  }
  if (tokenFile === undefined && clientSecretFile === undefined) {
    return signInWithBrowser({ issuer, clientId: clientId ?? CLI_CLIENT_ID, opens: options.browser }, context)
  }
  throw new UsageError('give either --token-file, or --client-id and --client-secret-file, or none of them')
}

/** Revokes the refresh token and the access tokens of its grant (RFC 7009). */
async function revoke({ issuer, clientId, refreshToken }: BrowserLogin, context: CommandContext) {
  const body = new URLSearchParams({ client_id: clientId, token: refreshToken })
  const response = await context
    .fetch(`${issuer}/oauth/v2/revoke`, { method: 'POST', body })
    .catch(() => undefined)
  if (response?.ok) return
  context.note(`${issuer} did not revoke the tokens; they expire by themselves`)
}

/**
 * Checks the login. If the instance requires a second factor of this administrator, signs in again with it and returns that login
 * (RFC 9470). Throws ManagementApiError when the suite refuses the login.
 */
async function acceptedLogin(
  login: StoredLogin,
  { browser: opens }: LoginOptions,
  context: CommandContext,
): Promise<StoredLogin> {
  try {
    await checkLogin(login, context)
    return login
  } catch (error) {
    const acrValues = error instanceof ManagementApiError ? error.acrValues : undefined
    if (acrValues === undefined || !('refreshToken' in login)) throw error
    context.note('administrators of this instance need a second factor')
    await revoke(login, context)
    const { issuer, clientId } = login
    const stronger = await signInWithBrowser({ issuer, clientId, opens, acrValues }, context)
    await checkLogin(stronger, context)
    return stronger
  }
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
