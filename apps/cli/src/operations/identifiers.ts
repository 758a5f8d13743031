import { bodyOf, type Suite } from '../api/suite.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../exit-codes.ts'

// Asks the suite for the id of a name: of an organization also a domain, of a person or service user also a login name or an
// address, of an application also the client id. An id that exists is never taken as a name.

type Management = Suite['management']
export type Kind = 'organization' | 'user' | 'project' | 'application'

/** The fields that hold an id, and what it is of. */
export const KINDS: Readonly<Record<string, Kind>> = {
  organizationId: 'organization',
  userId: 'user',
  actorId: 'user',
  user: 'user',
  application: 'application',
  projectId: 'project',
  applicationId: 'application',
}

/** The kinds that a target without `targetKind` may have, in the order in which they are tried. */
const TARGET_KINDS: readonly Kind[] = ['user', 'application', 'project', 'organization']

/**
 * Ids in the forms that Signet and other products generate. They are never looked up as names. Otherwise a command for a deleted
 * account would change the account of a person whose user name is that id.
 */
const GENERATED = /^(?:[a-z2-7]{26}|\d+|[0-9a-f]{8}-[0-9a-f-]{27})$/i

/**
 * Replaces names in the values by ids. Ids and unknown names stay unchanged. Throws a CommandError for a name of several
 * objects.
 */
export async function withIds<Values extends Readonly<Record<string, unknown>>>(
  values: Values,
  management: Management,
  context: Pick<CommandContext, 'note'>,
): Promise<Values> {
  const entries = Object.entries(values).map(async ([field, value]) => {
    const isName = typeof value === 'string' && value !== '' && !GENERATED.test(value)
    const kinds = isName ? kindsOf(field, values) : []
    return [
      field,
      kinds.length === 0 ? value : await idOf(kinds, String(value), management, context),
    ] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Values
}

function kindsOf(field: string, { targetKind }: Readonly<Record<string, unknown>>): readonly Kind[] {
  if (field === 'targetId') {
    return targetKind === undefined ? TARGET_KINDS : TARGET_KINDS.filter((kind) => kind === targetKind)
  }
  const kind = KINDS[field]
  return kind === undefined ? [] : [kind]
}

async function idOf(
  kinds: readonly Kind[],
  name: string,
  management: Management,
  { note }: Pick<CommandContext, 'note'>,
): Promise<string> {
  for (const kind of kinds) {
    const params = { query: { kind, name } }
    const { items } = bodyOf(await management.GET('/management/v1/references', { params }))
    const [first, ...others] = items
    if (first === undefined) continue
    if (others.length > 0) {
      const choices = items.map((item) => `${item.id} (${item.name}, ${placeOf(kind, item)})`).join(', ')
      throw new CommandError(
        'refused',
        `"${name}" fits ${items.length} objects of the kind ${kind}: ${choices}; give the id`,
      )
    }
    if (first.id !== name) note(`"${name}" is ${kind} ${first.id}`)
    return first.id
  }
  return name
}

interface Found {
  readonly id: string
  readonly organizationName: string
  readonly projectName?: string | undefined
}

/** Distinguishes objects of the same name. */
function placeOf(kind: Kind, { id, organizationName, projectName }: Found): string {
  if (kind === 'organization') return `organization ${id}`
  const project = projectName === undefined ? '' : `project ${projectName}, `
  return `${project}organization ${organizationName}`
}
