import { globSync, readFileSync } from 'node:fs'
import { type OpenapiContract, type OpenapiDocument, openapiContract } from '@signet/testing/openapi-contract'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from '../migration-client.ts'

let client: MigrationClient
let document: OpenapiDocument
let contract: OpenapiContract
beforeAll(async () => {
  client = createMigrationClient(await startSystem(migrationSystem()))
  const served = await fetch(`${client.system.base}/management/v1/openapi.json`)
  document = (await served.json()) as OpenapiDocument
  contract = openapiContract(document)
}, 60_000)
afterAll(() => client?.system.stop())

const organization = { orgId: 'acme', org: { name: 'ACME' } }
const ASYNC = { Prefer: 'respond-async' }

const described = () =>
  Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/admin/v1/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method, path })))

/** Sends a call, and returns its status, its JSON and how it violates the OpenAPI document. */
async function checked(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await client.call(method, path, body, headers)
  const json = (await response.json()) as Record<string, unknown>
  const answer = { method, path: `/admin/v1${path}`, status: response.status, body: json }
  return { status: response.status, json, problems: contract.answerProblems(answer) }
}

describe('the OpenAPI document', () => {
  it('has every route of the migration service', () => {
    const folder = new URL('../../../../apps/migration/src/http/', import.meta.url)
    const routes = globSync('*.routes.ts', { cwd: folder }).flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/router\.(\w+)\(\s*'(\/admin[^']+)'/g)].map(
        ([, method, path = '']) => `${method} ${path.replace(':jobId', '{jobId}')}`,
      ),
    )
    expect(routes.length).toBeGreaterThanOrEqual(10)
    expect(
      described()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(routes.sort())
  })

  it('has every route of the keys service, and describes what it answers', async () => {
    const paths = Object.keys(document.paths).filter((path) => path.startsWith('/management/v1/keys'))
    expect(paths.sort()).toEqual(
      ['', '/rewrap', '/rotate', '/{kid}/revoke'].map((path) => `/management/v1/keys${path}`),
    )
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '/rotate', { ring: 'origin-mac' }],
      ['POST', '/rotate', { ring: 'of gold' }],
      ['POST', '/rewrap'],
      ['POST', '/unknown/revoke'],
    ] as const) {
      const answer = await client.manage(method, `/keys${path}`, body)
      const checkedAnswer = {
        method,
        path: `/management/v1/keys${path}`,
        status: answer.status,
        body: await answer.json(),
      }
      expect(contract.answerProblems(checkedAnswer)).toEqual([])
    }
  })

  it('describes what the migration service answers', async () => {
    const calls: [string, string, unknown?, Record<string, string>?][] = [
      ['POST', '/import', { dataOrgs: { orgs: [organization] } }],
      ['POST', '/import', { dataOrgs: { orgs: [organization] } }, ASYNC],
      ['POST', '/import', { dataOrgs: { orgs: [{ orgId: '' }] } }],
      ['POST', '/import', { onConflict: 'never' }],
      ['POST', '/export', {}],
      ['POST', '/export', {}, ASYNC],
      ['POST', '/export', { orgIds: ['nobody'] }],
      ['POST', '/export', {}, { Authorization: 'Bearer nonsense' }],
      ['GET', '/jobs'],
      ['POST', '/jobs/rewrap'],
      ['GET', '/jobs/none'],
      ['GET', '/jobs/none/document'],
    ]
    const statuses: number[] = []
    for (const call of calls) {
      const { status, json, problems } = await checked(...call)
      statuses.push(status)
      expect([call, problems]).toEqual([call, []])
      const path = `/jobs/${json.id}`
      if (status === 202) {
        await expect.poll(async () => (await checked('GET', path)).json.state).toBe('succeeded')
        expect((await checked('GET', path)).problems).toEqual([])
        expect((await checked('POST', `${path}/cancel`)).problems).toEqual([])
      }
    }
    expect(statuses).toEqual([200, 202, 400, 400, 200, 202, 404, 401, 200, 200, 404, 404])
  })

  it('has examples that fit', () => {
    expect(described().flatMap(({ method, path }) => contract.exampleProblems(method, path))).toEqual([])
  })
})
