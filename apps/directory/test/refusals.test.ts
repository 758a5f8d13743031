import { randomUUID } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { rpcClient } from '@signet/grpc/client'
import { RefusalService } from '@signet/grpc/gen/directory/v1/refusal_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import type { ServiceName } from '@signet/platform/process/service'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { MOST_OF_CLIENT, RefusalStore } from '../src/refusals/refusal.repository.ts'
import { createDeleteOldRefusals } from '../src/refusals/refusals.service.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'
import { startDirectoryIn } from './rpc-fixture.ts'

const network = createInProcessNetwork({ onFailure: () => undefined })
const WEEK_MS = 7 * 86_400_000

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const document = exampleDirectory()
  const plain = { profile: { givenName: 'A', familyName: 'B' } }
  document.organizations.push({
    id: 'other',
    name: 'Other',
    primaryDomain: 'other.localhost',
    users: [{ id: 'zoe', userName: 'zoe', ...plain }],
  })
  await management.directory.apply(document)
  network.serve('directory', management.service.rpc ?? [])
  const { bearers } = management
  bearers.set('owner', { userId: 'root', roles: ['IAM_OWNER'] })
  bearers.set('acme-owner', { userId: 'a', roles: ['ORG_OWNER acme'] })
  bearers.set('acme-users', { userId: 'a', roles: ['ORG_USER_MANAGER acme'] })
  bearers.set('other-owner', { userId: 'b', roles: ['ORG_OWNER other'] })
  bearers.set('portal-owner', { userId: 'c', roles: ['PROJECT_OWNER portal'] })
  bearers.set('stranger', { userId: 'd', roles: ['ORG_OWNER elsewhere'] })
})
afterAll(() => management?.stop())
beforeEach(() => management.directory.rows('DELETE FROM directory.refusal'))

interface Given {
  readonly id?: string
  readonly at?: Date
  readonly requestId?: string
  readonly clientId?: string
  readonly reason?: string
  readonly changed?: boolean
  readonly userId?: string
  readonly values?: Readonly<Record<string, string>>
  readonly audited?: boolean
}

const message = ({ at = management.directory.clock.now(), ...given }: Given) => ({
  id: randomUUID(),
  requestId: randomUUID(),
  clientId: 'web',
  reason: 'redirect_uri_unregistered',
  changed: false,
  userId: '',
  clientAddress: '192.0.2.1',
  audited: false,
  ...given,
  values: Object.entries(given.values ?? {}).map(([name, value]) => ({ name, value })),
  at: timestampFromDate(at),
})

const record = (refusals: readonly Given[], { caller = 'login' as ServiceName, over = network } = {}) =>
  rpcClient(RefusalService, over.transport(caller, 'directory')).recordRefusals(
    { refusals: refusals.map(message) },
    { timeoutMs: 5_000 },
  )

const list = async (query = '', bearer = 'owner') =>
  (await management.call('GET', `/refusals?${query}`, undefined, bearer)).body
const found = async (query: string, bearer?: string): Promise<string[]> =>
  (await list(query, bearer)).items.map(({ requestId }: { requestId: string }) => requestId)

it('finds a refusal by request id, by application and by person', async () => {
  await record([
    {
      requestId: 'r1',
      reason: 'project_role_missing',
      userId: 'alice',
      values: { project: 'portal' },
    },
    { requestId: 'r2' },
  ])
  const { items } = await list('requestId=r1')
  expect(items).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: management.directory.clock.now().toISOString(),
      requestId: 'r1',
      service: 'login',
      result: 'refused',
      reason: 'project_role_missing',
      clientId: 'web',
      applicationId: 'web',
      organizationId: 'acme',
      userId: 'alice',
      clientAddress: '192.0.2.1',
      values: { project: 'portal' },
      cause: 'projectRoleCheck: the person has no role in the project',
      cure: 'signet user-grant create portal --set userId=alice --set roles=ROLE',
    },
  ])
  expect((await found('application=web')).sort()).toEqual(['r1', 'r2'])
  expect(await found('user=alice')).toEqual(['r1'])
  expect(await found('user=alice&application=unknown')).toEqual([])
})

it('stores nothing of a client that does not exist', async () => {
  await record([{ clientId: 'nothing' }])
  expect(await found('')).toEqual([])
})

it('stores a repeated batch once, and writes one audit entry for it', async () => {
  const refusals = [
    { id: randomUUID(), requestId: 'once', reason: 'acr_unmet', userId: 'alice' },
    { id: randomUUID(), requestId: 'twice', reason: 'acr_unmet', userId: 'alice' },
  ]
  await record(refusals)
  await record(refusals)
  expect(await found('user=alice')).toHaveLength(2)
  const { body } = await management.call('GET', '/audit?action=authorization&targetId=alice')
  const ofReason = body.items.filter(
    ({ details }: { details: { reason: string } }) => details.reason === 'acr_unmet',
  )
  expect(ofReason).toMatchObject([
    {
      action: 'authorization',
      result: 'refused',
      actor: { kind: 'human', id: 'alice' },
      target: { kind: 'user', id: 'alice' },
      organizationId: 'acme',
      details: { reason: 'acr_unmet', client_id: 'web' },
    },
  ])
})

it('writes no audit entry for a changed request, for one that the log has, and without a person', async () => {
  await record([
    { reason: 'quiet', userId: 'alice', changed: true },
    { reason: 'quiet', userId: 'alice', audited: true },
    { reason: 'quiet' },
  ])
  const { body } = await management.call('GET', '/audit?action=authorization')
  expect(JSON.stringify(body)).not.toContain('quiet')
})

it('keeps the latest of equal changed requests', async () => {
  const changed = { changed: true, reason: 'scopes_dropped', values: { scopes: 'roles' } }
  await record([{ ...changed, requestId: 'first' }])
  await record([{ ...changed, requestId: 'second' }])
  await record([{ ...changed, requestId: 'third', values: { scopes: 'profil' } }])
  expect((await found('application=web')).sort()).toEqual(['second', 'third'])
})

it('keeps the newest 100 of a client while two replicas store at once', async () => {
  const other = createInProcessNetwork({ onFailure: () => undefined })
  const replica = await startDirectoryIn(other, management.directory)
  other.serve('directory', replica.rpc ?? [])
  const start = management.directory.clock.now().getTime()
  const batch = (n: number) =>
    Array.from({ length: 30 }, (_, i) => ({
      at: new Date(start + n * 30 + i),
      requestId: `r${n * 30 + i}`,
    }))
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => record(batch(n), { over: n % 2 === 0 ? network : other })),
  )
  const kept = await found('application=web&limit=500')
  expect(kept).toEqual(Array.from({ length: MOST_OF_CLIENT }, (_, i) => `r${299 - i}`))
  await replica.stop()
})

it('keeps refusals for a week', async () => {
  const now = management.directory.clock.now().getTime()
  await record([
    { requestId: 'the-old-one', at: new Date(now - WEEK_MS - 1_000) },
    { requestId: 'the-young-one', at: new Date(now - WEEK_MS + 60_000) },
  ])
  expect(await found('')).toEqual(['the-young-one'])
  const stored = () => management.directory.placesOf('the-old-one', 'the-young-one')
  expect(await stored()).toHaveLength(2)
  const refusals = new RefusalStore(management.directory.owner)
  await createDeleteOldRefusals(refusals, management.directory.clock.now)()
  expect(await stored()).toEqual(['directory.refusal: the-young-one'])
  await createDeleteOldRefusals(refusals, () => new Date(now + WEEK_MS))()
  expect(await stored()).toEqual([])
})

it('answers in pages, newest first', async () => {
  const now = management.directory.clock.now().getTime()
  await record(Array.from({ length: 5 }, (_, i) => ({ requestId: `r${i}`, at: new Date(now + i) })))
  const first = await list('limit=3')
  expect(first.items.map(({ requestId }: { requestId: string }) => requestId)).toEqual(['r4', 'r3', 'r2'])
  expect(await found(`limit=3&cursor=${first.nextCursor}`)).toEqual(['r1', 'r0'])
})

it('shows an administrator the own applications and people, and nothing of others', async () => {
  await record([
    { requestId: 'own', userId: 'alice', values: { received: 'https://a.example' } },
    { requestId: 'foreign-person', userId: 'zoe', values: { received: 'https://a.example' } },
    { requestId: 'nobody' },
  ])
  const seen = async (bearer: string) =>
    (await list('', bearer)).items
      .map(({ requestId, userId, clientAddress, organizationId, values }: Record<string, unknown>) =>
        JSON.stringify([requestId, userId ?? '', clientAddress ?? '', organizationId ?? '', values]),
      )
      .sort()
  const own = '["own","alice","192.0.2.1","acme",{"received":"https://a.example"}]'
  expect(await seen('acme-owner')).toEqual([
    '["foreign-person","","","acme",{"received":"https://a.example"}]',
    '["nobody","","","acme",{}]',
    own,
  ])
  // The application is another organization's: its values and its owner are not for the people of zoe.
  expect(await seen('other-owner')).toEqual(['["foreign-person","zoe","192.0.2.1","",{}]'])
  expect(await seen('acme-users')).toEqual(['["own","alice","192.0.2.1","",{}]'])
  // Nor does a filter tell which of them is whose.
  expect((await list('user=zoe', 'acme-owner')).items).toEqual([])
  expect(await seen('portal-owner')).toEqual([
    '["foreign-person","","","acme",{"received":"https://a.example"}]',
    '["nobody","","","acme",{}]',
    '["own","","","acme",{"received":"https://a.example"}]',
  ])
  for (const query of ['', 'requestId=own', 'user=alice', 'application=web', 'requestId=missing'])
    expect(await list(query, 'stranger')).toEqual({ items: [] })
})

it('refuses a call that is too large, and services that refuse no clients', async () => {
  await expect(record(Array.from({ length: 501 }, () => ({})))).rejects.toThrow(/500/)
  await expect(record([{}], { caller: 'keys' })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
  await expect(record([{ id: 'x' }])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

it('shows the refusals of an identity provider, with what it sent, to its administrators alone', async () => {
  const { body: provider } = await management.call(
    ...(['POST', '/identity-providers'] as const),
    {
      ...{ organizationId: 'other', name: 'Corporate', issuer: 'https://idp.example', clientId: 'signet' },
      clientSecret: 'secret',
    },
    'other-owner',
  )
  const values = { received: 'issuer_differs', sent: 'https://a.example', expected: 'https://idp.example' }
  await record([
    { requestId: 'ours', reason: 'identity_provider_refused', values: { ...values, provider: provider.id } },
    { requestId: 'unknown', reason: 'identity_provider_refused', values: { ...values, provider: 'none' } },
  ])
  expect(await found(`provider=${provider.id}`)).toEqual(['ours'])
  expect((await list(`provider=${provider.id}`, 'other-owner')).items).toMatchObject([
    { requestId: 'ours', values: { ...values, provider: provider.id } },
  ])
  // The client is theirs and the provider is not: they see that a rule refused, and not what the provider sent.
  expect(await found(`provider=${provider.id}`, 'acme-owner')).toEqual([])
  const [mine] = (await list('requestId=ours', 'acme-owner')).items
  expect(mine.values).toEqual({ received: 'issuer_differs', provider: provider.id })
  expect(await found('requestId=ours', 'other-owner')).toEqual(['ours'])
  expect(await found('requestId=ours', 'stranger')).toEqual([])
  expect(await found('provider=none')).toEqual([])
})

interface Review {
  readonly findings: readonly { readonly rule: string; readonly text: string }[]
}

it('the review of an application reads its own secrets and hints, and changes nothing', async () => {
  const create = (id: string, clientId: string) =>
    management.call('POST', '/applications', { id, clientId, projectId: 'portal', name: id, type: 'web' })
  // The client id of one is the id of the other.
  expect((await create('reviewed', 'reviewed-client')).status).toBe(201)
  expect((await create('namesake', 'reviewed')).status).toBe(201)
  const textOf = async (id: string, rule: string) => {
    const { body } = await management.call('GET', `/applications/${id}/review`)
    return (body as Review).findings.find((finding) => finding.rule === rule)?.text
  }
  const changed = { changed: true, requestId: 'r', reason: 'scopes_dropped' }
  await record([
    { ...changed, clientId: 'reviewed', values: { scopes: 'of-namesake' } },
    { ...changed, clientId: 'reviewed-client', values: { scopes: 'of-reviewed' } },
  ])
  expect(await textOf('reviewed', 'scopes_without_effect')).toMatch(/here: of-reviewed\./)
  expect(await textOf('namesake', 'scopes_without_effect')).toMatch(/here: of-namesake\./)

  expect(await textOf('reviewed', 'short_secret')).toBeUndefined()
  expect(await textOf('reviewed', 'old_secret')).toBeUndefined()
  await management.directory.rows(
    `UPDATE directory.application_secret SET hash = '$2b$10$x', created_at = created_at - interval '366 days'
      WHERE application_id = 'reviewed'`,
  )
  expect(await textOf('reviewed', 'short_secret')).toContain('fewer than 43 characters')
  expect(await textOf('reviewed', 'old_secret')).toContain('more than a year ago')
  expect(await textOf('namesake', 'old_secret')).toBeUndefined()
  expect((await management.call('GET', '/applications/nothing/review')).status).toBe(404)
})
