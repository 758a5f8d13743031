import { randomBytes } from 'node:crypto'
import type { BootstrapFileInput } from '@signet/directory/bootstrap'
import { homeOrganization } from '@signet/testing/home-organization'
import type { InProcessOptions, InProcessSystem } from '@signet/testing/system/in-process-system'

const ADMIN_TOKEN = randomBytes(32).toString('base64url')
/** Token of an ORG_OWNER, who may not migrate anything. */
export const ORGANIZER_TOKEN = randomBytes(32).toString('base64url')

export interface ExportedDocument {
  orgs: Record<string, unknown>[]
  meta: { counts: Record<string, number>; sha256: string }
}

export interface ImportAnswer {
  readonly errors?: readonly { type: string; id: string; message: string }[]
  /** Plan of a dry run. */
  readonly plan?: Readonly<Record<string, unknown>>
  readonly credentials?: Readonly<Record<string, unknown>>
  readonly success: { readonly orgs?: readonly Record<string, unknown>[] }
  readonly message?: string
  readonly details?: readonly Record<string, unknown>[]
}

interface InstanceOptions {
  readonly sealedExports?: boolean
  readonly transferFolder?: string
  /** Beside that of the administrator. */
  readonly organizations?: BootstrapFileInput['organizations']
  readonly settings?: BootstrapFileInput['settings']
}

/** Options of `startSystem` for a migration: an instance with an administrator. */
export function migrationSystem({ organizations = [], settings, ...more }: InstanceOptions = {}) {
  const home = homeOrganization(ADMIN_TOKEN)
  const organizer = {
    id: 'organizer',
    userName: 'organizer',
    roles: ['ORG_OWNER' as const],
    personalAccessTokens: [{ id: 'organizing', token: ORGANIZER_TOKEN }],
  }
  return {
    ...more,
    mode: 'in-process',
    document: {
      organizations: [{ ...home, serviceUsers: [...home.serviceUsers, organizer] }, ...organizations],
      ...(settings !== undefined && { settings }),
    },
  } as const satisfies InProcessOptions
}

/** The call of an import that names every organization of its document, as a caller who trusts it does. */
function naming(body: unknown): unknown {
  const { data_orgsv1, data_orgs, dataOrgs, ...call } = (body ?? {}) as Record<string, unknown>
  const orgs = organizationsOf(data_orgsv1 ?? data_orgs ?? dataOrgs)
  if (orgs === undefined || 'org_ids' in call) return body
  const ids = orgs.flatMap(({ orgId }) =>
    typeof orgId === 'string' && /^[\w.~@+-]{1,200}$/.test(orgId) ? [orgId] : [],
  )
  return { org_ids: [...new Set(ids)].slice(0, 1_000), ...(body as object) }
}

function organizationsOf(document: unknown): readonly { orgId?: unknown }[] | undefined {
  if (typeof document !== 'string') {
    const { orgs } = (document ?? {}) as { orgs?: unknown }
    return Array.isArray(orgs) ? orgs.filter((one) => typeof one === 'object' && one !== null) : undefined
  }
  try {
    return organizationsOf(JSON.parse(document))
  } catch {
    return undefined
  }
}

/** The calls of a migration to a running instance, as its administrator. */
export function createMigrationClient(system: InProcessSystem) {
  const callBelow =
    (root: string) =>
    (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${system.base}${root}${path}`, {
        method,
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json', ...headers },
        ...(body instanceof ReadableStream
          ? { body, duplex: 'half' as const }
          : body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(naming(body)) }),
      })
  const call = callBelow('/admin/v1')
  return {
    system,
    call,
    /** A call of the management API. */
    manage: callBelow('/management/v1'),
    /** The document of a complete export. */
    async export(more: Record<string, unknown> = {}): Promise<ExportedDocument> {
      const answer = await call('POST', '/export', {
        excludedOrgIds: ['home'],
        withPasswords: true,
        withOtp: true,
        withPasskeys: true,
        withSecrets: true,
        ...more,
      })
      if (answer.status !== 200) throw new Error(`export: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as ExportedDocument
    },
    async import(document: unknown, more: Record<string, unknown> = {}) {
      const answer = await call('POST', '/import', { timeout: '1m', data_orgsv1: document, ...more })
      return { status: answer.status, body: (await answer.json()) as ImportAnswer }
    },
  }
}

export type MigrationClient = ReturnType<typeof createMigrationClient>

type Json = Record<string, unknown>

/** Applications as an import takes them: without what only an IAM_OWNER of the new instance says. */
export function withoutMarks(organization: Json): Json {
  const unmarked = (list: unknown) =>
    (list as { app: Json }[]).map(({ app: { mayCallApi: _, firstParty: __, ...app }, ...rest }) => ({
      ...rest,
      app,
    }))
  const lists = ['oidcApps', 'apiApps'].filter((list) => organization[list] !== undefined)
  return { ...organization, ...Object.fromEntries(lists.map((list) => [list, unmarked(organization[list])])) }
}
