import { changedTables } from '@signet/testing/stored-rows'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../src/api/operation.ts'
import { openapiText } from '../src/openapi-document.ts'
import { OPERATIONS } from '../src/operations.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { CLOSED_SMTP, EXAMPLE_PEOPLE, EXAMPLE_ROWS, exampleCall, exampleDirectory } from './operation-call.ts'

// Every operation of openapi.json with hostile text in each path parameter, query parameter and member of the body.

type Schema = Readonly<Record<string, unknown>>

const document: {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly requestBody?: { readonly content: { 'application/json': { readonly schema: Schema } } } }
        >
      >
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
} = JSON.parse(openapiText(OPERATIONS))

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture({ smtp: CLOSED_SMTP })
  const file = exampleDirectory()
  file.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost' })
  await management.directory.apply(file)
  for (const statement of EXAMPLE_ROWS) await management.directory.rows(statement)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('stranger', { roles: ['ORG_OWNER other', 'PROJECT_OWNER elsewhere'] })
  known = await stored()
  expect(known).toHaveProperty(['directory.account'])
})
afterAll(() => management?.stop())

let known: Readonly<Record<string, string>> = {}
/** Compares the tables with those of the last comparison, and names those that differ. */
async function changed(): Promise<readonly string[]> {
  const before = known
  known = await stored()
  return changedTables(before, known)
}

/** Digests without the feed of changes, whose rows are deleted by time. */
const stored = () => management.directory.digests(['change'])

/** Sends bytes that `URL` and `JSON.stringify` would not write. */
async function send(method: string, path: string, body: string | undefined, bearer: string) {
  const startedAt = performance.now()
  const response = await fetch(management.at(path), {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return { status: response.status, text, ms: performance.now() - startedAt }
}

const LONG = 100_000

/** Text that no member of any body may hold, by its name. `inUrl` is the percent-encoded form. */
const NEVER_STORED: Readonly<Record<string, { readonly inUrl: string; readonly inBody: string }>> = {
  'U+0000': { inUrl: 'a%00b', inBody: 'a\0b' },
  'half a surrogate pair': { inUrl: 'a%ED%A0%80b', inBody: 'a\ud800b' },
  // A request line of more than 16 KiB never reaches an operation.
  'long text': { inUrl: 'a*'.repeat(5_000), inBody: 'a*'.repeat(LONG / 2) },
}
const INVISIBLE = { inUrl: 'a%E2%80%8Bb%E2%80%AEc', inBody: 'a\u200bb\u202ec' }

interface HostileCall {
  /** The place of the text, and the text. */
  readonly what: string
  /** The parameter, or the path to the member of the body. */
  readonly place: string
  readonly path: string
  readonly body: string | undefined
}

function hostileCalls(
  operation: Operation,
  what: string,
  text: { inUrl: string; inBody: string },
): HostileCall[] {
  const example = exampleCall(operation, EXAMPLE_PEOPLE[operation.id])
  const path = example.path.startsWith('/') ? example.path : `/${example.path}`
  const body = example.body === undefined ? undefined : JSON.stringify(example.body)
  const inPath = Object.keys(operation.parameters.shape).map((name) => ({
    what: `${what} as ${name} of the path`,
    place: name,
    path: operation.path
      .replace(`{${name}}`, text.inUrl)
      .replaceAll(/\{(\w+)\}/g, (_, other: string) => pathValue(operation, other)),
    body,
  }))
  const inQuery = Object.keys(operation.query.shape).map((name) => ({
    what: `${what} as ${name} of the query`,
    place: name,
    path: `${path.split('?')[0]}?${name}=${text.inUrl}`,
    body,
  }))
  const inBody = bodiesWith(operation, example.body, text.inBody).map(({ place, value }) => ({
    what: `${what} as ${place} of the body`,
    place,
    path,
    body: JSON.stringify(value),
  }))
  return [...inPath, ...inQuery, ...inBody]
}

function pathValue(operation: Operation, name: string): string {
  const { path } = exampleCall(operation, EXAMPLE_PEOPLE[operation.id])
  const at = operation.path.split('/').indexOf(`{${name}}`)
  return path.split('?')[0]?.split('/')[at] ?? ''
}

/** The example with the text in the place of each member, and as a name where the caller chooses names. */
function bodiesWith(operation: Operation, example: unknown, text: string) {
  const schema =
    document.paths[operation.path]?.[operation.method]?.requestBody?.content['application/json'].schema
  if (schema === undefined) return []
  return places(schema, [], 0).map((path) => ({
    place: path.map((part) => (part === text ? '(the text)' : part)).join('.'),
    value: replaced(example, path, text),
  }))

  function places(of: Schema, path: readonly string[], depth: number): (readonly string[])[] {
    const resolved = resolve(of)
    if (depth > 6) return []
    const any = [resolved.anyOf, resolved.oneOf, resolved.allOf].flatMap((list) => (list as Schema[]) ?? [])
    const members = Object.entries((resolved.properties ?? {}) as Record<string, Schema>)
    const named = resolved.additionalProperties
    return [
      ...(path.length > 0 && (resolved.type !== 'object' || any.length > 0) ? [path] : []),
      ...any.flatMap((one) => places(one, path, depth + 1)),
      ...members.flatMap(([name, member]) => places(member, [...path, name], depth + 1)),
      ...(typeof named === 'object'
        ? [[...path, text], ...places(named as Schema, [...path, 'x'], depth + 1)]
        : []),
      ...(resolved.items ? places(resolved.items as Schema, [...path, '0'], depth + 1) : []),
    ].filter((one, at, all) => all.findIndex((other) => other.join('.') === one.join('.')) === at)
  }
}

function resolve(schema: Schema): Schema {
  const name = String(schema.$ref ?? '')
    .split('/')
    .at(-1)
  return schema.$ref === undefined ? schema : resolve(document.components.schemas[name ?? ''] ?? {})
}

function replaced(value: unknown, [part, ...rest]: readonly string[], text: string): unknown {
  if (part === undefined) return text
  if (part === '0') return [replaced(Array.isArray(value) ? value[0] : undefined, rest, text)]
  const members = typeof value === 'object' && value !== null ? value : {}
  return { ...members, [part]: replaced(Reflect.get(members, part), rest, text) }
}

/** Members that name an object: their values are compared. Text for people may hold invisible characters. */
const NAMING =
  /^(id|key|.*Id|.*Ids|roles|domainName|primaryDomain|host|address|senderAddress|.*Ur[il]s?|.*Origins|\(the text\))$/

function isNaming({ place }: HostileCall): boolean {
  const names = place.split('.').filter((part) => part !== '0')
  return NAMING.test(names.at(-1) ?? '')
}

async function problemsOf(operation: Operation, calls: readonly HostileCall[], isRefused: boolean) {
  const problems: string[] = []
  const remaining = [...calls]
  const work = async () => {
    for (let call = remaining.shift(); call !== undefined; call = remaining.shift()) {
      const { what, path, body } = call
      const { status, text, ms } = await send(operation.method.toUpperCase(), path, body, 'owner')
      if (status >= 500 || (isRefused && status < 300))
        problems.push(`${what}: ${status} ${text.slice(0, 200)}`)
      if (ms > 15_000) problems.push(`${what}: ${ms} ms`)
      if (isRefused && text.length > 10_000) problems.push(`${what}: an answer of ${text.length} bytes`)
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return problems
}

describe('text that nothing may hold is refused and has no effect', () => {
  it.each(OPERATIONS)(
    '$id',
    async (operation) => {
      const hostile = Object.entries(NEVER_STORED).flatMap(([name, text]) =>
        hostileCalls(operation, name, text),
      )
      expect(await problemsOf(operation, hostile, true)).toEqual([])
      expect(await changed()).toEqual([])
    },
    120_000,
  )
})

describe('characters that are not seen name nothing', () => {
  it.each(OPERATIONS.filter(({ request }) => request !== undefined))(
    '$id',
    async (operation) => {
      const naming = hostileCalls(operation, 'invisible', INVISIBLE).filter(isNaming)
      expect(await problemsOf(operation, naming, true)).toEqual([])
      expect(await changed()).toEqual([])
    },
    120_000,
  )
})

/** Lists of what a caller may see, and operations about the caller alone, answer everyone. */
const answersEveryone = ({ permission }: (typeof OPERATIONS)[number]) =>
  permission.seen !== undefined || permission.rules.length === 0

describe('objects of other organizations are refused and unchanged', () => {
  it.each(OPERATIONS)('$id', async (operation) => {
    const { method, path, body } = exampleCall(operation, EXAMPLE_PEOPLE[operation.id])
    const { status } = await send(
      method,
      path,
      body === undefined ? undefined : JSON.stringify(body),
      'stranger',
    )
    expect(answersEveryone(operation) ? [200, 403] : [403]).toContain(status)
    expect(await changed()).toEqual([])
  })
})

// Last, because some of these are texts that people may choose.
describe('characters that are not seen are no failure anywhere', () => {
  it.each(OPERATIONS)(
    '$id',
    async (operation) => {
      expect(await problemsOf(operation, hostileCalls(operation, 'invisible', INVISIBLE), false)).toEqual([])
    },
    120_000,
  )
})
