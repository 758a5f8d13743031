import { ADMIN_TOKEN } from './directory-document.ts'
import { type Crew, documentOf } from './import-document.ts'

/** Users a second of one import or export, from the request to the end of the answer. */
export interface Moved {
  readonly users: number
  readonly seconds: number
}

const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

/** Imports organizations of users with bcrypt strings, inline, and checks the answer. */
export async function importUsers(origin: string, crew: Crew): Promise<Moved> {
  const { users } = crew
  const body = `{"timeout":"1h","data_orgs":${documentOf(crew)}}`
  const startedAt = performance.now()
  const response = await fetch(`${origin}/admin/v1/import`, { method: 'POST', headers, body })
  const text = await response.text()
  const seconds = (performance.now() - startedAt) / 1000
  const answer = response.status === 200 ? (JSON.parse(text) as ImportAnswer) : undefined
  const created = answer?.success?.orgs?.reduce((sum, { humanUserIds = [] }) => sum + humanUserIds.length, 0)
  if (answer?.errors !== undefined || created !== users) {
    throw new Error(`the import answered ${response.status}: ${text.slice(0, 500)}`)
  }
  return { users, seconds }
}

interface ImportAnswer {
  readonly errors?: readonly unknown[]
  readonly success?: { readonly orgs?: readonly { readonly humanUserIds?: readonly string[] }[] }
}

/** Exports organizations with their password hashes, inline, and checks that they have all users. */
export async function exportUsers(origin: string, { organizationIds, users }: Crew): Promise<Moved> {
  const body = JSON.stringify({ orgIds: organizationIds, withPasswords: true, timeout: '1h' })
  const startedAt = performance.now()
  const response = await fetch(`${origin}/admin/v1/export`, { method: 'POST', headers, body })
  const text = await response.text()
  const seconds = (performance.now() - startedAt) / 1000
  const found = text.split('"hashedPassword"').length - 1
  if (response.status !== 200 || found !== users) {
    throw new Error(`the export answered ${response.status} with ${found} users: ${text.slice(0, 500)}`)
  }
  return { users, seconds }
}
