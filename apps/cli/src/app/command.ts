import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { environmentFile } from '@signet/protocol/quick-starts'
import { requireLogin, suiteOf } from '../access/suite-access.ts'
import type { components } from '../api/gen/schema.ts'
import { bodyOf, type Suite } from '../api/suite.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { defaultsOf } from '../operations/application-kinds.ts'
import { requireYes, YES_OPTION } from '../operations/confirmation.ts'
import { withIds } from '../operations/identifiers.ts'
import { nearest } from '../suggestions.ts'
import { STACKS, type Stack } from './stacks.ts'

const NAMES = Object.keys(STACKS)
const ENVIRONMENT_FILE = '.env'

/** `app add` creates an application and writes the code of its quick start with the settings into a folder. */
export function addAppCommand(add: AddCommand, context: CommandContext): void {
  const stacks = Object.entries(STACKS).map(([name, { title }]) => `  ${name.padEnd(8)} ${title}`)
  add('app add')
    .description(
      'creates an application and writes its settings and the code of its quick start into a folder',
    )
    .argument('[stack]', NAMES.join(', '))
    .option('--url <url>', 'the address of the application on this machine, such as http://localhost:4000')
    .option('--project <id>', 'the project of the application; needed where there are several')
    .option('--name <name>', 'its name; by default the stack')
    .option('--folder <path>', 'the folder to write into', '.')
    .option(...YES_OPTION)
    .addHelpText(
      'after',
      `
  signet app add express --url http://localhost:4000 --project shop

Asks for what is left out. Files that exist are replaced only after a question or with --yes. The secret is in .env alone: keep it
out of version control. Stacks:
${stacks.join('\n')}`,
    )
    .action(async (given, options) => {
      const stack = stackOf(
        given ?? (await askFor('stack', `Stack (${NAMES.join(', ')})?`, undefined, context)),
      )
      const suggested = `http://localhost:${stack.port}`
      const url = options.url ?? (await askFor('--url', `Address [${suggested}]?`, suggested, context))
      const origin = originOf(url)
      const { folder } = options
      await confirmReplaced(folder, stack, options.yes === true, context)
      const login = await requireLogin(context)
      const suite = suiteOf(login, context)
      const projectId = await projectOf(options.project, suite, context)
      // The code first: without the application it does no harm, and the secret is shown once.
      await writeFiles(folder, stack.files)
      const application = await create(suite, stack, {
        projectId,
        name: options.name ?? given ?? stack.title,
        origin,
      })
      const { clientId, clientSecret } = application
      const port = new URL(origin).port || '80'
      const environment = stack.environment({
        issuer: login.issuer,
        clientId,
        clientSecret,
        origin,
        port,
        random: () => context.randomId().replaceAll('-', ''),
      })
      await writeEnvironment(folder, environment, application)
      context.say(`install: ${stack.install}`)
      context.say(`start:   ${stack.start(port)}`)
      context.say(`open:    ${origin} (client ${clientId}, settings in ${join(folder, ENVIRONMENT_FILE)})`)
    })
}

function stackOf(name: string): Stack {
  const stack = Object.hasOwn(STACKS, name) ? STACKS[name] : undefined
  if (stack !== undefined) return stack
  const close = nearest(name, NAMES)
  const advice = close === undefined ? '' : `; did you mean ${close}?`
  throw new UsageError(`"${name}" is no stack; there are ${NAMES.join(', ')}${advice}`)
}

async function askFor(
  argument: string,
  question: string,
  unlessAnswered: string | undefined,
  { ask }: Pick<CommandContext, 'ask'>,
): Promise<string> {
  const answer = ask === undefined ? '' : await ask(question)
  if (answer !== '') return answer
  if (unlessAnswered === undefined) throw new UsageError(`give the ${argument}: ${NAMES.join(', ')}`)
  return unlessAnswered
}

/** The code of the quick starts listens on this machine, so other addresses would not reach it. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' && url.hostname === 'localhost' && url.pathname === '/' && url.search === '')
    return url.origin
  throw new UsageError(
    `--url ${text}: must be an address such as http://localhost:4000, where the code of the quick start listens; signet application update adds redirect URIs of other hosts`,
  )
}

async function confirmReplaced(
  folder: string,
  { files }: Stack,
  isConfirmed: boolean,
  context: CommandContext,
): Promise<void> {
  const paths = [ENVIRONMENT_FILE, ...Object.keys(files)]
  const found = await Promise.all(paths.map(async (path) => ((await exists(join(folder, path))) ? path : [])))
  const existing = found.flat()
  if (existing.length > 0 && !isConfirmed)
    await requireYes(`Replaces ${existing.join(', ')} in ${folder}.`, context)
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** The project that is named, or the only one that the caller sees. */
async function projectOf(
  given: string | undefined,
  { management }: Suite,
  context: CommandContext,
): Promise<string> {
  if (given !== undefined) return (await withIds({ projectId: given }, management, context)).projectId
  const { items } = bodyOf(
    await management.GET('/management/v1/projects', { params: { query: { limit: 20 } } }),
  )
  const [only, ...others] = items
  if (only === undefined) throw new UsageError('there is no project; signet project create makes one')
  if (others.length === 0) return only.id
  const choices = items.map(({ id, name }) => `${id} (${name})`).join(', ')
  const answer = await context.ask?.(`Project: ${choices}?`)
  if (answer) return (await withIds({ projectId: answer }, management, context)).projectId
  throw new UsageError(`give --project: ${choices}`)
}

type Application = components['schemas']['NewApplication']

async function create(
  { management }: Suite,
  { kind, callback, signedOut, fields }: Stack,
  { projectId, name, origin }: { readonly projectId: string; readonly name: string; readonly origin: string },
): Promise<Application> {
  const uris = {
    redirectUris: [`${origin}${callback}`],
    ...(signedOut !== undefined && { postLogoutRedirectUris: [`${origin}${signedOut}`] }),
  }
  const body = { ...defaultsOf(kind, uris), ...uris, ...fields, projectId, name }
  return bodyOf(await management.POST('/management/v1/applications', { body: body as never }))
}

async function writeFiles(folder: string, files: Stack['files']): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** Readable by the user alone. When it cannot be written, says how to get a secret again. */
async function writeEnvironment(
  folder: string,
  environment: Readonly<Record<string, string>>,
  { id }: Application,
): Promise<void> {
  const text = environmentFile(environment)
  const file = join(folder, ENVIRONMENT_FILE)
  try {
    await writeFile(file, text, { mode: 0o600 })
  } catch (cause) {
    throw new CommandError(
      'localError',
      `${file} cannot be written (${(cause as NodeJS.ErrnoException).code}); the application ${id} was created, and signet application rotate-secret ${id} shows another secret`,
      { cause },
    )
  }
}
