import { ManagementApiError } from '../api/errors.ts'
import { bodyOf, type Suite } from '../api/suite.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../exit-codes.ts'

// Finds the id for a name: the client id of an application, the user name or login name of a person or service user, or the
// primary domain of an organization. A value that is an existing id is never taken as a name.

type Management = Suite['management']
type Kind = 'organization' | 'user' | 'application'

interface Found {
  readonly id: string
  /** Distinguishes objects of the same name. */
  readonly text: string
}

const KINDS: Readonly<Record<string, Kind>> = {
  organizationId: 'organization',
  userId: 'user',
  actorId: 'user',
  user: 'user',
  application: 'application',
  applicationId: 'application',
}

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
    const kind = KINDS[field]
    const isName = kind !== undefined && typeof value === 'string' && value !== '' && !GENERATED.test(value)
    return [field, isName ? await idOf(kind, value, management, context) : value] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Values
}

async function idOf(
  kind: Kind,
  name: string,
  management: Management,
  { note }: Pick<CommandContext, 'note'>,
): Promise<string> {
  if ((await ifPermitted(READ[kind](name, management))) !== 'unknown') return name
  const found = await ifPermitted(FIND[kind](name, management))
  if (!Array.isArray(found) || found.length === 0) return name
  const [first, ...others] = found
  if (others.length > 0) {
    const choices = found.map(({ id, text }) => `${id} (${text})`).join(', ')
    throw new CommandError(
      'refused',
      `"${name}" fits ${found.length} objects of the kind ${kind}: ${choices}; give the id`,
    )
  }
  note(`"${name}" is ${kind} ${first?.id}`)
  return first?.id ?? name
}

/** Returns `unknown` for 404 and undefined for other errors of the suite, which it repeats for the command itself. */
async function ifPermitted<T>(calling: Promise<T>): Promise<T | 'unknown' | undefined> {
  try {
    return await calling
  } catch (error) {
    if (!(error instanceof ManagementApiError)) throw error
    return error.status === 404 ? 'unknown' : undefined
  }
}

const READ: Readonly<Record<Kind, (id: string, management: Management) => Promise<unknown>>> = {
  organization: (organizationId, management) =>
    management.GET('/management/v1/organizations/{organizationId}', { params: { path: { organizationId } } }),
  user: (userId, management) =>
    management.GET('/management/v1/users/{userId}', { params: { path: { userId } } }),
  application: (applicationId, management) =>
    management.GET('/management/v1/applications/{applicationId}', { params: { path: { applicationId } } }),
}

const FIND: Readonly<Record<Kind, (name: string, management: Management) => Promise<readonly Found[]>>> = {
  organization: async (primaryDomain, management) =>
    (await organizationsOf(primaryDomain, management)).map(({ id, name }) => ({ id, text: name })),
  application: async (clientId, management) => {
    const params = { query: { clientId } }
    const { items } = bodyOf(await management.GET('/management/v1/applications', { params }))
    return items.map(({ id, name, projectId }) => ({ id, text: `${name}, project ${projectId}` }))
  },
  user: async (name, management) => {
    const at = name.lastIndexOf('@')
    const [userName, domain] = [name.slice(0, at), name.slice(at + 1)]
    const inOrganizations =
      at < 1
        ? []
        : (await organizationsOf(domain, management)).map(({ id }) => ({ organizationId: id, userName }))
    const found = new Map<string, Found>()
    for (const query of [{ userName: name }, ...inOrganizations]) {
      const { items } = bodyOf(await management.GET('/management/v1/users', { params: { query } }))
      for (const { id, organizationId } of items)
        found.set(id, { id, text: `organization ${organizationId}` })
    }
    return [...found.values()]
  },
}

async function organizationsOf(primaryDomain: string, management: Management) {
  const params = { query: { primaryDomain: primaryDomain.toLowerCase() } }
  return bodyOf(await management.GET('/management/v1/organizations', { params })).items
}
