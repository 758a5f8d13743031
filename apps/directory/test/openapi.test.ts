import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openapiContract } from '@signet/testing/openapi-contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../src/api/operation.ts'
import { openapiText } from '../src/openapi-document.ts'
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

const text = openapiText(OPERATIONS)
const document = JSON.parse(text)

describe('openapi.json', () => {
  it('equals the served document; else run pnpm --filter @signet/directory generate:openapi', async () => {
    const published = await readFile(new URL('../openapi.json', import.meta.url), 'utf8')
    expect(JSON.parse(published)).toEqual(document)
  })

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    expect(await validator.validate(document)).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('passes the recommended rules of Redocly', async () => {
    // A tag is the noun of its operations, and each of those says what it does.
    const config = await createConfig({ extends: ['recommended'], rules: { 'tag-description': 'off' } })
    const found = await lintFromString({ source: text, config })
    expect(
      found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    ).toEqual([])
  })

  it('every reference resolves, and every component is referenced', () => {
    const references = new Set(
      [...text.matchAll(/"\$ref": "#\/components\/(\w+\/[^"]+)"/g)].map(([, to]) => to),
    )
    const there = ['schemas', 'responses'].flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `${kind}/${name}`),
    )
    expect([...references].sort()).toEqual(there.sort())
  })

  it('names each operation once, with an id that is unique, and describes it', () => {
    const ids = OPERATIONS.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { id, summary } of OPERATIONS) {
      expect(id).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/)
      expect(summary).toMatch(/^[A-Z].*[^.]$/)
    }
  })

  it.each(OPERATIONS)(
    '$id: names and examples fit',
    ({ method, path, parameters, query, request, example }) => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(Object.keys(parameters.shape)).toEqual(inPath)
      const described: { name: string; in: string; example?: string }[] =
        document.paths[path][method].parameters
      for (const parameter of described) if (parameter.in === 'path') expect(parameter.example).toBeTruthy()
      // Parameters and body become one object.
      const body = request === undefined ? [] : Object.keys((example ?? {}) as object)
      const names = [...inPath, ...Object.keys(query.shape), ...body]
      expect(new Set(names).size).toBe(names.length)
      expect(example === undefined).toBe(request === undefined)
      expect(openapiContract(document).exampleProblems(method, path)).toEqual([])
    },
  )
})

describe('the examples, in an order that leaves something for each', () => {
  let management: ManagementFixture
  beforeAll(async () => {
    management = await managementFixture({ smtp: CLOSED_SMTP })
    await management.directory.apply(exampleDirectory())
    for (const statement of EXAMPLE_ROWS) await management.directory.rows(statement)
    management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  })
  afterAll(() => management?.stop())

  const INSTEAD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    ...EXAMPLE_PEOPLE,
    // The owner of the project takes the grant of acme away.
    'granted_project.delete': { organizationId: 'partner' },
  }
  const ORDER = ['put', 'get', 'post', 'patch', 'delete']
  /** Deletes children before their parents, members before their users, and recovery codes before the last second factor. */
  const depth = (path: string) =>
    path.split('/').length + (/\/members\/|\/recovery-codes$|\/identity-providers\//.test(path) ? 1 : 0)
  const place = ({ method, path }: Operation) => ORDER.indexOf(method) * 100 - depth(path)

  it.each(OPERATIONS.toSorted((a, b) => place(a) - place(b)))('$method $path', async (operation) => {
    const { method, path, body } = exampleCall(operation, INSTEAD[operation.id])
    const bearer = exampleBearer(operation.id)
    if (bearer !== 'owner')
      for (const statement of ALLOW_IMPERSONATION) await management.directory.rows(statement)
    const answer = await management.call(method, path, body, bearer)
    const expected = operation.creates ? 201 : operation.response === undefined ? 204 : 200
    expect(answer.status, JSON.stringify(answer.body)).toBe(expected)
  })
})
