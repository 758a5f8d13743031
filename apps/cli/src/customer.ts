import { isEmailAddress } from '@signet/protocol/email-address'
import { readPerson } from '@signet/protocol/listed-people'
import { openSuite } from './access/suite-access.ts'
import type { components } from './api/gen/schema.ts'
import type { Suite } from './api/suite.ts'
import { documentOf, sendFile } from './apply.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { CommandError, InvalidFile, UsageError } from './exit-codes.ts'
import { withIds } from './operations/identifiers.ts'
import { outputOption, tableOf } from './output.ts'

type Applied = components['schemas']['AppliedFile']

const collect = (value: string, before: string[] = []) => [...before, value]

/** `customer create` makes an organization of a template: a bootstrap file of one organization with placeholders. */
export function addCustomerCommand(add: AddCommand, context: CommandContext): void {
  add('customer create')
    .description('creates an organization from a template and invites its first administrators')
    .argument('<template>', 'a bootstrap file of one organization with placeholders, - for standard input')
    .option('--set <name=value>', 'the value of the placeholder {{name}}; may be repeated', collect)
    .option(
      '--admin <address>',
      'an ORG_OWNER who is invited: "Erin <erin@acme.example>"; may be repeated',
      collect,
    )
    .option('--grant-project <id>', 'a project that the organization may use; may be repeated', collect)
    .option('--dry-run', 'shows what would be created and writes nothing', false)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
  signet customer create template.yaml --set name=Globex --set domain=globex.example \\
    --admin 'Erin Example <erin@globex.example>' --grant-project shop

  organizations:
    - name: '{{name}}'
      primaryDomain: '{{domain}}'
      loginPolicy: { forceMfa: true }
      labelPolicy: { primaryColor: '#2563eb' }

The organization with policies, projects and administrators is created whole or not at all; one that exists is refused. The projects and
the invitations follow, one request each; when one fails, the command names what is done and the commands that do the rest.`,
    )
    .action(async (template, options) => {
      const filled = filledIn(await documentOf(template, context), valuesOf(options.set ?? []))
      const document = withAdministrators(filled, template, options.admin ?? [])
      const planned = await sendFile(document, true, context)
      requireNew(planned)
      if (options.dryRun) {
        context.say(options.output === tableOf ? outline(planned) : options.output(planned))
        return
      }
      const applied = await sendFile(document, false, context)
      const suite = await openSuite(context)
      const organizationId = idOf(applied, 'organization')
      const projectIds = await Promise.all(
        (options.grantProject ?? []).map(
          async (projectId) => (await withIds({ projectId }, suite.management, context)).projectId,
        ),
      )
      const invited = (options.admin ?? []).length > 0 ? idsOf(applied, 'user') : []
      const steps = [
        ...projectIds.flatMap((projectId) => grantSteps(suite, organizationId, projectId)),
        ...invited.map((userId) => inviteStep(suite, userId)),
      ]
      await runSteps(organizationId, steps)
      const made = { organizationId, invited, grantedProjects: projectIds, changes: applied.changes }
      if (options.output !== tableOf) context.say(options.output(made))
      else context.say(`${outline(applied)}\norganization ${organizationId} is ready`)
    })
}

function valuesOf(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw new UsageError(`--set ${text}: write NAME=VALUE, such as name=Globex`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}

const PLACEHOLDER = /\{\{\s*([A-Za-z][A-Za-z0-9]*)\s*\}\}/g

/** Fills the placeholders of all texts. Throws UsageError for one without a value and for a value without one. */
function filledIn(document: object, values: Readonly<Record<string, string>>): object {
  const missing = new Set<string>()
  const used = new Set<string>()
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (whole, name: string) => {
      used.add(name)
      if (!Object.hasOwn(values, name)) missing.add(name)
      return values[name] ?? whole
    })
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value)
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]))
  }
  const filled = walk(document) as object
  if (missing.size > 0) {
    const sets = [...missing].map((name) => `--set ${name}=…`).join(' ')
    throw new UsageError(`the template has placeholders without a value: give ${sets}`)
  }
  const unused = Object.keys(values).filter((name) => !used.has(name))
  if (unused.length > 0) throw new UsageError(`the template has no placeholder {{${unused.join('}}, {{')}}}`)
  return filled
}

/** Adds the administrators to the one organization of the file. */
function withAdministrators(document: object, template: string, admins: readonly string[]): object {
  const { organizations, ...others } = document as { organizations?: unknown }
  const [organization, ...more] = Array.isArray(organizations) ? organizations : []
  const isOne = typeof organization === 'object' && organization !== null && more.length === 0
  const foreign = Object.keys(others).filter((name) => name !== '$schema')
  if (!isOne || foreign.length > 0) {
    const rule = 'must hold one organization under organizations, and no settings of the instance'
    throw new InvalidFile([`${template}: ${rule}${foreign.length > 0 ? `: ${foreign.join(', ')}` : ''}`])
  }
  const users = admins.map((text) => {
    const person = readPerson(text, isEmailAddress)
    if (person === undefined) throw new UsageError(`--admin ${text}: is no e-mail address`)
    const { address, userName, givenName, familyName } = person
    return { userName, profile: { givenName, familyName }, email: { address }, roles: ['ORG_OWNER'] }
  })
  const stored = (organization as { users?: unknown }).users
  if (users.length === 0) return document
  if (stored !== undefined) {
    throw new InvalidFile([`${template}: has users of its own; give them without --admin, or take them out`])
  }
  return { ...document, organizations: [{ ...organization, users }] }
}

function requireNew({ changes }: Applied): void {
  if (changes.some(({ kind, change }) => kind === 'organization' && change === 'created')) return
  throw new CommandError(
    'conflict',
    'an organization with this id or primary domain was created from a file before; signet apply changes it',
  )
}

const idsOf = ({ changes }: Applied, wanted: Applied['changes'][number]['kind']) =>
  changes.flatMap(({ kind, change, id }) => (kind === wanted && change === 'created' ? [id] : []))

function idOf(applied: Applied, kind: Applied['changes'][number]['kind']): string {
  const [id] = idsOf(applied, kind)
  if (id === undefined) throw new Error(`no ${kind} was created`)
  return id
}

const outline = ({ changes }: Applied) =>
  changes.map(({ kind, id, path }) => `+ ${kind.replaceAll('_', ' ')} ${id} (${path})`).join('\n')

interface Step {
  /** The command that does it by itself. */
  readonly command: string
  readonly run: () => Promise<unknown>
}

function grantSteps({ management }: Suite, organizationId: string, projectId: string): readonly Step[] {
  return [
    {
      command: `signet project-grant add ${projectId} --set organizationId=${organizationId}`,
      run: () =>
        management.POST('/management/v1/projects/{projectId}/project-grants', {
          params: { path: { projectId } },
          body: { organizationId },
        }),
    },
    {
      command: `signet granted-project accept ${organizationId} ${projectId}`,
      run: () =>
        management.POST('/management/v1/organizations/{organizationId}/granted-projects/{projectId}/accept', {
          params: { path: { organizationId, projectId } },
        }),
    },
  ]
}

const inviteStep = ({ management }: Suite, userId: string): Step => ({
  command: `signet user invite ${userId}`,
  run: () => management.POST('/management/v1/users/{userId}/invitation', { params: { path: { userId } } }),
})

/** Runs the steps one after the other. Names the commands of those that are left when one fails. */
async function runSteps(organizationId: string, steps: readonly Step[]): Promise<void> {
  for (const [at, { run }] of steps.entries()) {
    try {
      await run()
    } catch (error) {
      const left = steps.slice(at).map(({ command }) => `  ${command}`)
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandError(
        'objectsFailed',
        `the organization ${organizationId} was created, and then: ${reason}. These commands do the rest:\n${left.join('\n')}`,
        { cause: error },
      )
    }
  }
}
