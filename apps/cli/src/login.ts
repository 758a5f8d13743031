import { rm } from 'node:fs/promises'
import { readSettings } from '@signet/platform/config/settings'
import { CLI_CLIENT_ID, signInWithBrowser } from './access/browser-login.ts'
import { readSecretFile } from './access/secret-file.ts'
import {
  type BrowserLogin,
  findLogin,
  loginFile,
  type StoredLogin,
  storeLogin,
} from './access/stored-login.ts'
import { defaultOrganization, openSuite, suiteOf } from './access/suite-access.ts'
import { hasEnvironmentLogin } from './access/workload-login.ts'
import { bodyOf } from './api/suite.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { CommandError, UsageError } from './exit-codes.ts'
import { withIds } from './operations/identifiers.ts'
import { outputOption, table, tableOf } from './output.ts'

interface LoginOptions {
  readonly issuer?: string | undefined
  readonly tokenFile?: string | undefined
  readonly clientId?: string | undefined
  readonly clientSecretFile?: string | undefined
  readonly organization?: string | undefined
  readonly browser: boolean
}

/** `login` checks credentials and stores them for later commands; `logout` deletes them; `whoami` and `use` show and change them. */
export function addLoginCommands(add: AddCommand, context: CommandContext): void {
  add('login')
    .description('signs in with the browser, with a personal access token, or as a service user')
    .option('--issuer <url>', 'the public origin of the suite; without it that of the stored login')
    .option('--token-file <file>', 'holds a personal access token')
    .option('--client-id <id>', 'the client id of a service user, or of the application for the browser')
    .option('--client-secret-file <file>', "holds the service user's client secret")
    .option('--organization <name>', 'the organization of commands that name none, as signet use sets it')
    .option('--no-browser', 'writes the address of the sign-in page and opens no browser')
    .addHelpText(
      'after',
      `
Without a file it signs a person in with the browser of this machine, through the application signet-cli, which an
IAM_OWNER makes with signet application create cli. Elsewhere give --token-file, or --client-id and
--client-secret-file; the file may be - for standard input. The login is kept in signet/login.json in the user's folder
for settings, readable by the user alone. SIGNET_ISSUER with SIGNET_TOKEN, where set, go before it, and so do SIGNET_WORKLOAD_TOKEN_FILE,
the token of a platform, and SIGNET_WORKLOAD_USER, the id of the service user that trusts its issuer.`,
    )
    .action(async (options) => {
      const { login, caller } = await acceptedLogin(await readLogin(options, context), options, context)
      const file = loginFile(context.env)
      const { organizationId } =
        options.organization === undefined
          ? { organizationId: onlyOrganization(caller) }
          : await withIds(
              { organizationId: options.organization },
              suiteOf(login, context).management,
              context,
            )
      await storeLogin(file, { ...login, organizationId })
      context.say(`signed in at ${login.issuer} as ${nameOf(caller)}; kept in ${file}`)
      if (organizationId !== undefined)
        context.say(`commands that name no organization are for ${organizationName(caller, organizationId)}`)
    })
  addWhoamiCommand(add, context)
  addUseCommand(add, context)
  addLogoutCommand(add, context)
}

function addWhoamiCommand(add: AddCommand, context: CommandContext): void {
  add('whoami')
    .description(
      'shows who is signed in where, with the roles that count and the names and ids of their objects',
    )
    .addOption(outputOption())
    .action(async ({ output }) => {
      const { management } = await openSuite(context)
      const caller = bodyOf(await management.GET('/management/v1/me'))
      const organizationId = await defaultOrganization(context)
      if (output !== tableOf) {
        context.say(output({ ...caller, defaultOrganizationId: organizationId }))
        return
      }
      context.say(describeCaller(caller, organizationId))
    })
}

function addUseCommand(add: AddCommand, context: CommandContext): void {
  add('use')
    .description('keeps the organization of commands that name none with the stored login')
    .argument('[organization]', 'its name, a domain or its id')
    .action(async (organization = '') => {
      if (organization === '') throw new UsageError('give one argument: the organization')
      const file = hasEnvironmentLogin(context.env) ? undefined : loginFile(context.env)
      const login = file === undefined ? undefined : await findLogin(file)
      if (file === undefined || login === undefined) {
        throw new CommandError('notSignedIn', 'there is no stored login in use; sign in with signet login')
      }
      const { management } = suiteOf(login, context)
      const { organizationId } = await withIds({ organizationId: organization }, management, context)
      const path = { organizationId }
      const { name } = bodyOf(
        await management.GET('/management/v1/organizations/{organizationId}', { params: { path } }),
      )
      // A token that was renewed meanwhile is kept.
      await storeLogin(file, { ...((await findLogin(file)) ?? login), organizationId })
      context.say(`commands that name no organization are for ${name} (${organizationId})`)
    })
}

function addLogoutCommand(add: AddCommand, context: CommandContext): void {
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
  const last = options.issuer ?? context.env.SIGNET_ISSUER ?? (await lastIssuer(context))
  const env = { ...context.env, SIGNET_ISSUER: last }
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

/** The issuer of the stored login, if there is one that can be read. */
async function lastIssuer({ env }: CommandContext): Promise<string | undefined> {
  if (!env.HOME && !env.XDG_CONFIG_HOME && !env.APPDATA) return undefined
  return (await findLogin(loginFile(env)).catch(() => undefined))?.issuer
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

interface AcceptedLogin {
  readonly login: StoredLogin
  readonly caller: ShownCaller
}

/**
 * Checks the login. If the instance requires a second factor of this administrator, signs in again with it and returns that login
 * (RFC 9470). Throws ManagementApiError when the suite refuses the login.
 */
async function acceptedLogin(
  login: StoredLogin,
  { browser: opens }: LoginOptions,
  context: CommandContext,
): Promise<AcceptedLogin> {
  const caller = await readCaller(login, context)
  const acrValues = caller.signInDemand?.acrValues ?? []
  if (acrValues.length === 0 || !('refreshToken' in login)) return { login, caller }
  context.note('administrators of this instance need a second factor')
  await revoke(login, context)
  const { issuer, clientId } = login
  const stronger = await signInWithBrowser(
    { issuer, clientId, opens, acrValues: acrValues.join(' ') },
    context,
  )
  return { login: stronger, caller: await readCaller(stronger, context) }
}

async function readCaller(login: StoredLogin, context: CommandContext): Promise<ShownCaller> {
  return bodyOf(await suiteOf(login, context).management.GET('/management/v1/me'))
}

interface Administered {
  readonly id: string
  readonly name?: string | undefined
  readonly roles: readonly string[]
}

/** The answer of the suite about the caller. */
interface ShownCaller {
  readonly issuer: string
  readonly userId: string
  readonly userName?: string | undefined
  readonly displayName?: string | undefined
  readonly organizationId: string
  readonly organizationName?: string | undefined
  readonly roles: readonly string[]
  readonly organizations: readonly Administered[]
  readonly projects: readonly Administered[]
  readonly signInDemand?: { readonly acrValues: readonly string[] } | undefined
}

/** The only organization that the caller administers; roles of the instance are for several. */
function onlyOrganization({ roles, organizations }: ShownCaller): string | undefined {
  return roles.length === 0 && organizations.length === 1 ? organizations[0]?.id : undefined
}

const nameOf = ({ userName, userId, displayName }: ShownCaller) =>
  displayName === undefined || displayName === userName
    ? (userName ?? userId)
    : `${userName ?? userId} (${displayName})`

const withName = ({ id, name = id }: { readonly id: string; readonly name?: string | undefined }) =>
  `${name} (${id})`

function organizationName({ organizations }: ShownCaller, id: string): string {
  return withName(organizations.find((one) => one.id === id) ?? { id })
}

function describeCaller(caller: ShownCaller, defaultId: string | undefined): string {
  const { issuer, userId, organizationId, organizationName: name, roles, organizations, projects } = caller
  const rowsOf = (level: string, objects: readonly Administered[]) =>
    objects.map((object) => [level, `${withName(object)}: ${object.roles.join(', ')}`])
  const held = [
    ...(roles.length > 0 ? [['roles in the instance', roles.join(', ')]] : []),
    ...rowsOf('roles in the organization', organizations),
    ...rowsOf('roles in the project', projects),
  ]
  const demand = caller.signInDemand && [
    ['roles in the instance', 'do not count before a newer or stronger sign-in: signet login'],
  ]
  return table([
    ['user', nameOf(caller)],
    ['user id', userId],
    ['organization', withName({ id: organizationId, name })],
    ['issuer', issuer],
    ...(held.length === 0 && demand === undefined ? [['roles', 'none']] : held),
    ...(demand ?? []),
    ...(defaultId === undefined ? [] : [['default organization', organizationName(caller, defaultId)]]),
  ])
}
