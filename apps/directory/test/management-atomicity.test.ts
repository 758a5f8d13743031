import { changedTables } from '@signet/testing/stored-rows'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATIONS } from '../src/operations.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import {
  ALLOW_IMPERSONATION,
  CLOSED_SMTP,
  EXAMPLE_PEOPLE,
  EXAMPLE_ROWS,
  exampleBearer,
  exampleCall,
  exampleDirectory,
} from './operation-call.ts'

const MADE_BEFORE = new Set([
  'trusted_issuer.create',
  'application_trusted_issuer.create',
  'organization_metadata.set',
  'smtp.set',
  'message_text.set',
  'login_text.set',
])

/** Bodies for operations whose example follows another call: nothing was given to its person. */
const BODIES: Readonly<Record<string, object>> = {
  'trusted_issuer.create': { id: 'other', issuer: 'https://issuer.example.com', subject: 'orders' },
  'application_trusted_issuer.create': {
    id: 'other',
    issuer: 'https://issuer.example.com',
    subject: 'orders',
  },
  'user_grant.remove': { userId: 'alice', roles: ['admin'] },
}

/** Operations that show what the caller sent, and nothing that is stored: they have no audit event (decision 119). */
const WITHOUT_EVENT = new Set(['label_policy.preview'])

const hasDryRun = (body: unknown): body is { readonly dryRun: boolean } =>
  typeof body === 'object' && body !== null && 'dryRun' in body

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture({ smtp: CLOSED_SMTP })
  const { rows, apply } = management.directory
  await apply(exampleDirectory())
  for (const statement of EXAMPLE_ROWS) await rows(statement)
  // Its metadata then changes something.
  await rows(
    "UPDATE directory.identity_provider SET sso_url = 'https://idp.acme.example/before' WHERE sso_url IS NOT NULL",
  )
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  // Something to read, to change and to delete for each operation.
  for (const operation of OPERATIONS.filter(({ id }) => MADE_BEFORE.has(id))) {
    const { method, path, body } = exampleCall(operation)
    await management.call(method, path, body)
  }
  for (const statement of ALLOW_IMPERSONATION) await rows(statement)
  await management.directory.asAdministrator(
    'ALTER TABLE directory_audit.audit_event ADD CONSTRAINT broken CHECK (false) NOT VALID',
  )
  expect(await changed()).toContain('directory.account')
})
afterAll(() => management?.stop())

let known: Readonly<Record<string, string>> = {}
/** Compares the tables with those of the last comparison, and names those that differ. */
async function changed(): Promise<readonly string[]> {
  const before = known
  known = await management.directory.digests()
  return changedTables(before, known)
}

describe.each(OPERATIONS.filter(({ id }) => !WITHOUT_EVENT.has(id)))('$id [F-47]', (operation) => {
  it('neither changes nor returns anything when its row of the audit log cannot be written', async () => {
    const { method, path, body: example } = exampleCall(operation, EXAMPLE_PEOPLE[operation.id])
    const given = BODIES[operation.id] ?? example
    const body = hasDryRun(given) ? { ...given, dryRun: false } : given
    const headers = { 'idempotency-key': operation.id }
    const answer = await management.broken(method, path, body, headers, exampleBearer(operation.id))
    expect(answer).toMatchObject({ status: 500, body: { code: 13, details: [{ id: 'unexpected' }] } })
    expect(await changed()).toEqual([])
    expect(management.published).toEqual([])
  })
})
