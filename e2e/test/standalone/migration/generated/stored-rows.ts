import type { Database } from '@signet/platform/postgres/pool'

/** Every table that an export reads; keys of service users and applications stay where they are. */
const TABLES = [
  'account',
  'account_password',
  'application',
  'application_secret',
  'member',
  'organization',
  'organization_domain',
  'organization_policy',
  'project',
  'project_role',
  'service_user',
  'service_user_secret',
  'user_grant',
  'user_grant_role',
  'user_metadata',
] as const

/** The columns that belong to one instance: times, counters, sealed values, marks of an IAM_OWNER. */
const OWN = [
  'may_call_api',
  'first_party',
  'created_at',
  'updated_at',
  'changed_at',
  'token_epoch',
  'secret_id',
  'user_grant_id',
]

/** The meaning of a missing member of a stored policy; an import stores the member. */
const LEFT_OUT: Readonly<Record<string, object>> = {
  domain: { userLoginMustBeDomain: true },
  lockout: { maxPasswordAttempts: 5, maxOtpAttempts: 5 },
  login: { allowUsernamePassword: true },
}

/** The rows of generated organizations in a directory, table by table. */
export async function storedRows(database: Database): Promise<Record<string, readonly object[]>> {
  const stored: Record<string, readonly object[]> = {}
  for (const table of TABLES) {
    const text = `SELECT to_jsonb(t) - $1::text[] AS row FROM directory.${table} t WHERE to_jsonb(t)::text LIKE '%"generated-%'
                   ORDER BY (to_jsonb(t) - $1::text[])::text`
    const { rows } = await database.query<{ row: object }>({ name: '', text, values: [OWN] })
    stored[table] = rows.map(({ row }) => row)
  }
  const { organization_policy: policies = [] } = stored
  const told = (policies as { organization_id: string; kind: string; document: object }[]).map((row) => ({
    ...row,
    document: { ...LEFT_OUT[row.kind], ...row.document },
  }))
  const key = (row: (typeof told)[number]) => `${row.organization_id} ${row.kind}`
  return { ...stored, organization_policy: told.sort((one, other) => (key(one) < key(other) ? -1 : 1)) }
}
