import type { Operation } from '../api/operation.ts'
import type { Suite } from '../api/suite.ts'
import type { CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { type RequestInput, readOperationOf, request } from './request.ts'

/** The operations whose effect no other command can undo. */
const DESTRUCTIVE = [
  'organization.delete',
  'user.delete',
  'token.delete',
  'totp.delete',
  'user.reset_factors',
  'project.delete',
  'project_role.delete',
  'application.delete',
  'identity_provider.delete',
  'identity_provider.retire_key',
  'identity_link.delete',
  'application.delete_secret',
  'service_user.delete_secret',
]
/** Destructive with an overlap of 0, since the tokens of the client then end, too. */
const ROTATIONS = ['application.rotate_secret', 'service_user.rotate_secret']

export const mayAsk = ({ id }: Operation) => [...DESTRUCTIVE, ...ROTATIONS].includes(id)

export function isDestructive({ id }: Operation, body: unknown): boolean {
  return DESTRUCTIVE.includes(id) || (ROTATIONS.includes(id) && Object(body).overlapSeconds === 0)
}

export const YES_OPTION = ['--yes', 'asks no question; required without a terminal'] as const

/**
 * Asks on the terminal for confirmation; `what` describes the operation. Throws UsageError without a terminal, so that scripts
 * need `--yes`, and CommandError for every answer except yes.
 */
export async function requireYes(what: string, { confirm }: Pick<CommandContext, 'confirm'>): Promise<void> {
  if (confirm === undefined) throw new UsageError(`${what} Add --yes to do it.`)
  if (!(await confirm(`${what} Do it?`))) throw new CommandError('notConfirmed', 'nothing was changed')
}

/** Asks for confirmation of an operation; the question names the object. Throws as `requireYes`. */
export async function confirmOperation(
  operation: Operation,
  { params }: RequestInput,
  management: Suite['management'],
  context: Pick<CommandContext, 'confirm'>,
): Promise<void> {
  const ids = Object.values(params.path).join(' ')
  const { summary, description = '' } = operation
  const name = context.confirm === undefined ? '' : await nameOf(operation, params, management)
  await requireYes(`${summary}: ${ids}${name}. ${description}`.trim(), context)
}

/** The name of the object, such as ` (ACME)`. Rejects when the object does not exist. */
async function nameOf(
  operation: Operation,
  { path }: RequestInput['params'],
  management: Suite['management'],
) {
  const read = readOperationOf({
    ...operation,
    path: operation.path.replace(/\/(?:secret|reset-factors)$/, ''),
  })
  if (read === undefined) return ''
  const { data } = await request(management, read, { params: { path, query: {}, header: {} } })
  const { name, userName, displayName } = Object(data) as Record<string, unknown>
  const shown = name ?? userName ?? displayName
  return shown === undefined ? '' : ` (${shown})`
}
