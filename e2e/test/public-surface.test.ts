import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LISTS } from '@signet/file-formats/export/lists'
import { SETTINGS } from '@signet/platform/config/known-settings'
import { isSecret } from '@signet/platform/config/settings-fields'
import { credentialsOf } from '@signet/testing/system/client-credentials'
import { signetCommand } from '@signet/testing/system/signet-command'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { Answer } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SCHEMA_LINES } from './schema-lines.ts'

// The interfaces that clients, operators and other services depend on, one line for each member. A line that changes
// or disappears breaks one of them; `vitest --update` accepts a change. The management API has
// `apps/directory/openapi.json`, the bootstrap file `bootstrap.schema.json`, the chart its golden files.
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const expectSnapshot = (name: string, lines: readonly string[]) =>
  expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`public-surface/${name}.txt`)

const PATHS = [
  '/',
  '/.well-known/openid-configuration',
  '/.well-known/security.txt',
  '/oauth/v2/authorize',
  '/oauth/v2/token',
  '/oauth/v2/revoke',
  '/oauth/v2/introspect',
  '/oauth/v2/keys',
  '/oidc/v1/userinfo',
  '/oidc/v1/end_session',
  ...[
    'login',
    'register',
    'totp',
    'totp/new',
    'password',
    'accounts',
    'consent',
    'roles',
    'applications',
  ].map((page) => `/ui/${page}`),
  ...['/ui/logout', '/ui/logout/done', '/ui/logout/identity-provider', '/ui/assets/none.css', '/ui/none'],
  ...['', '/rotate', '/rewrap', '/none/revoke'].map((rest) => `/management/v1/keys${rest}`),
  ...['/management/v1/openapi.json', '/management/v1/none'],
  ...['/v2/features/instance', '/v2/policies/security', '/v2/settings/security'],
  ...['/admin/v1/export', '/admin/v1/import', '/admin/v1/jobs', '/admin/v1/jobs/1', '/admin/v1/none'],
  ...['events', 'report', 'rejects', 'document', 'cancel', 'resume'].map(
    (rest) => `/admin/v1/jobs/1/${rest}`,
  ),
]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

describe('the public surface', () => {
  let system: StandaloneSystem
  beforeAll(async () => {
    system = await startSystem({ mode: 'standalone' })
  }, 60_000)
  afterAll(() => system?.stop())

  it('returns the same status for each path and method', async () => {
    const lines: string[] = []
    for (const path of PATHS) {
      for (const method of METHODS) {
        const { status, headers } = await system.fetch(path, { method })
        const type = headers.get('content-type')?.split(';')[0] ?? ''
        lines.push(`${path} ${method} ${status} ${type} ${headers.get('allow') ?? ''}`.trimEnd())
      }
    }
    await expectSnapshot('paths', lines)
  })

  it('publishes the same discovery document', async () => {
    const { text } = await system.fetch('/.well-known/openid-configuration')
    await expectSnapshot('discovery', [JSON.stringify(JSON.parse(withoutIssuer(text)), undefined, 2)])
  })

  it('returns the same status and body for each mistake', async () => {
    const web = await credentialsOf('web', system.issuer)
    const token = (form: Readonly<Record<string, string>>, client = web) =>
      system.post('/oauth/v2/token', form, client)
    const wrong = { form: {}, headers: { authorization: `Basic ${btoa('web:wrong')}` } }
    const none = { form: {}, headers: {} }
    const authorize = (change: Readonly<Record<string, string>>) =>
      system.fetch(
        `/oauth/v2/authorize?${new URLSearchParams({
          client_id: 'web',
          redirect_uri: REDIRECT_URI,
          response_type: 'code',
          scope: 'openid',
          state: 's',
          ...change,
        })}`,
      )
    const json = (path: string, body: string, authorization = 'Bearer none') =>
      system.fetch(path, {
        method: 'POST',
        body,
        headers: { authorization, 'content-type': 'application/json' },
      })
    const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
    const mistakes: Readonly<Record<string, () => Promise<Answer>>> = {
      'token, no grant type': () => token({}),
      'token, unknown grant type': () => token({ grant_type: 'none' }),
      'token, wrong secret': () => token({ grant_type: 'client_credentials' }, wrong),
      'token, no client': () => token({ grant_type: 'client_credentials' }, none),
      'token, grant type not allowed': () => token({ grant_type: 'client_credentials' }),
      'token, code missing': () => token({ grant_type: 'authorization_code' }),
      'token, unknown code': () =>
        token({ grant_type: 'authorization_code', code: 'none', redirect_uri: REDIRECT_URI }),
      'token, refresh token missing': () => token({ grant_type: 'refresh_token' }),
      'token, unknown refresh token': () => token({ grant_type: 'refresh_token', refresh_token: 'none' }),
      'token, assertion missing': () => token({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }),
      'token, invalid assertion': () =>
        token({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'none' }),
      'token, subject token missing': () => token({ grant_type: exchange }),
      'token, JSON body': () => json('/oauth/v2/token', '{}'),
      'revoke, no token': () => system.post('/oauth/v2/revoke', {}, web),
      'revoke, wrong secret': () => system.post('/oauth/v2/revoke', { token: 'none' }, wrong),
      'revoke, unknown token': () => system.post('/oauth/v2/revoke', { token: 'none' }, web),
      'introspect, no token': () => system.post('/oauth/v2/introspect', {}, web),
      'introspect, wrong secret': () => system.post('/oauth/v2/introspect', { token: 'none' }, wrong),
      'introspect, unknown token': () => system.introspect('none'),
      'userinfo, no token': () => system.fetch('/oidc/v1/userinfo'),
      'userinfo, unknown token': () =>
        system.fetch('/oidc/v1/userinfo', { headers: { authorization: 'Bearer none' } }),
      'authorize, scope without openid': () => authorize({ scope: 'email' }),
      'authorize, unsupported response type': () => authorize({ response_type: 'none' }),
      'authorize, prompt none without a session': () => authorize({ prompt: 'none' }),
      'authorize, request object': () => authorize({ request: 'none' }),
      'authorize, invalid max_age': () => authorize({ max_age: '-1' }),
      'management, no token': () => system.fetch('/management/v1/organizations'),
      'management, unknown token': () => json('/management/v1/organizations', '{}'),
      'management, unknown path': () => system.manage('GET', '/none'),
      'management, unknown user': () => system.manage('GET', '/users/none'),
      'management, invalid fields': () => system.manage('POST', '/organizations', { name: 1, unknown: true }),
      'management, no JSON': () =>
        system.fetch('/management/v1/organizations', { method: 'POST', body: 'x' }),
      'management, invalid query': () => system.manage('GET', '/users?limit=none'),
      'keys, no token': () => system.fetch('/management/v1/keys'),
      'keys, unknown key': () => system.manage('POST', '/keys/none/revoke', {}),
      'keys, invalid ring': () => system.manage('POST', '/keys/rotate', { ring: 'none' }),
      'features, no token': () => system.fetch('/v2/features/instance'),
      'export, no token': () => system.fetch('/admin/v1/export', { method: 'POST' }),
      'export, invalid timeout': () => system.administer('POST', '/admin/v1/export', { timeout: 'none' }),
      'import, no token': () => system.fetch('/admin/v1/import', { method: 'POST' }),
      'import, empty body': () => system.administer('POST', '/admin/v1/import', {}),
      'jobs, unknown job': () => system.administer('GET', '/admin/v1/jobs/1'),
      'jobs, invalid page token': () => system.administer('GET', '/admin/v1/jobs?pageToken=%20'),
    }
    const lines: string[] = []
    for (const [mistake, send] of Object.entries(mistakes)) {
      const { status, headers, text } = await send()
      const named = ['www-authenticate', 'location'].flatMap((name) => {
        const value = headers.get(name)
        return value === null ? [] : [`    ${name}: ${withoutIssuer(value)}`]
      })
      lines.push(`${mistake}: ${status}`, ...named, ...(text === '' ? [] : [`    ${withoutIssuer(text)}`]))
    }
    await expectSnapshot('errors', lines)
  })

  it('has the same tables, views and functions', async () => {
    const rows = await system.data.sql<{ line: string }>(SCHEMA_LINES)
    await expectSnapshot(
      'database',
      rows.map(({ line }) => line),
    )
  })

  it('keeps the columns of published views, in their order', async () => {
    const rows = await system.data.sql<{ line: string }>(PUBLISHED_COLUMNS)
    const lines = rows.map(({ line }) => line)
    // Before the snapshot is written: running services read these columns, so that an update of snapshots may add some alone. A
    // view that no service reads any more is taken out of the file by hand.
    for (const known of readFileSync(`${ROOT}e2e/test/public-surface/published-columns.txt`, 'utf8')
      .trim()
      .split('\n'))
      expect(
        lines.some((line) => `${line},`.startsWith(`${known},`)),
        known,
      ).toBe(true)
    await expectSnapshot('published-columns', lines)
  })

  it('offers the same commands and options', async () => {
    const script = await signetCommand(['completion', 'bash'], { issuer: system.issuer, token: 'none' })
    const offered = script.matchAll(/^ {4}'(.+?) '\*?\) offered='(.*)' ;;$/gm)
    await expectSnapshot('commands', [...offered].map(([, words, next]) => `${words}: ${next}`).sort())
  })

  /** Removes the port of this run and the ids that an error response carries. */
  function withoutIssuer(text: string): string {
    return text
      .replaceAll(system.issuer, 'ISSUER')
      .replaceAll(encodeURIComponent(system.issuer), 'ISSUER')
      .replaceAll(/"requestId":"[^"]*"/g, '"requestId":"…"')
  }
})

it('accepts the same settings', async () => {
  const settings: readonly (readonly [string, z.ZodType])[] = Object.entries(SETTINGS)
  await expectSnapshot(
    'settings',
    settings
      .map(([name, schema]) => {
        const { success, data } = schema.safeParse(undefined)
        const presence = success ? `optional, default ${JSON.stringify(data)}` : 'required'
        return `${name}${isSecret(schema) ? `, ${name}_FILE` : ''}: ${presence}`
      })
      .sort(),
  )
})

it('counts under the same names and labels', async () => {
  const files = globSync(['apps/*/src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: ROOT })
  const metric = /name: '(signet_\w+)'(?:[^{}]*?label(?:s|Names): \[([^\]]*)\])?/g
  const found = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(`${ROOT}/${file}`, 'utf8').matchAll(metric)])
  await expectSnapshot(
    'metrics',
    found
      .map(([, name, labels = '']) => `${name} ${labels.replaceAll(/[\s',]+/g, ' ').trim()}`.trimEnd())
      .sort(),
  )
})

it('speaks the same protobuf between services', async () => {
  const image = execFileSync('buf', ['build', '--as-file-descriptor-set', '-o', '-#format=json'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const { file } = JSON.parse(image) as { readonly file: readonly ProtoFile[] }
  const lines = file
    .filter((each) => each.package.startsWith('signet.'))
    .flatMap((each) => [
      ...(each.service ?? []).flatMap(({ name, method }) =>
        method.map(
          (call) =>
            `${each.package}.${name}.${call.name}(${call.inputType}) ${call.serverStreaming ? 'stream ' : ''}${call.outputType}`,
        ),
      ),
      ...(each.messageType ?? []).flatMap((message) => messageLines(each.package, message)),
      ...(each.enumType ?? []).flatMap((type) => enumLines(each.package, type)),
    ])
  await expectSnapshot('protobuf', lines.sort())
})

it('imports and exports the same members', async () => {
  const lines = Object.entries(LISTS).flatMap(([name, { schema }]) =>
    memberLines(name, z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema),
  )
  await expectSnapshot('export-format', lines)
})

interface ProtoEnum {
  readonly name: string
  readonly value: readonly { readonly name: string; readonly number?: number }[]
}
interface ProtoMessage {
  readonly name: string
  readonly field?: readonly {
    readonly name: string
    readonly number: number
    readonly type: string
    readonly typeName?: string
    readonly label: string
    readonly proto3Optional?: boolean
  }[]
  readonly nestedType?: readonly ProtoMessage[]
  readonly enumType?: readonly ProtoEnum[]
}
interface ProtoFile {
  readonly package: string
  readonly messageType?: readonly ProtoMessage[]
  readonly enumType?: readonly ProtoEnum[]
  readonly service?: readonly {
    readonly name: string
    readonly method: readonly {
      readonly name: string
      readonly inputType: string
      readonly outputType: string
      readonly serverStreaming?: boolean
    }[]
  }[]
}

function enumLines(scope: string, { name, value }: ProtoEnum): readonly string[] {
  return value.map((each) => `${scope}.${name}.${each.name} = ${each.number ?? 0}`)
}

function messageLines(scope: string, message: ProtoMessage): readonly string[] {
  const inner = `${scope}.${message.name}`
  const fields = (message.field ?? []).map((field) => {
    const label = field.proto3Optional ? 'optional ' : field.label === 'LABEL_REPEATED' ? 'repeated ' : ''
    const type = field.typeName ?? field.type.replace('TYPE_', '').toLowerCase()
    return `${inner}.${field.name} = ${field.number} ${label}${type}`
  })
  return [
    ...(fields.length > 0 ? fields : [`${inner} without fields`]),
    ...(message.nestedType ?? []).flatMap((nested) => messageLines(inner, nested)),
    ...(message.enumType ?? []).flatMap((nested) => enumLines(inner, nested)),
  ]
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly [rule: string]: unknown
}

/** A line for each member, with its rules. */
function memberLines(name: string, schema: JsonSchema): readonly string[] {
  const { properties, required = [], items, anyOf = [], allOf = [], $schema, ...rules } = schema
  return [
    `${name} ${JSON.stringify(rules)}`,
    ...Object.entries(properties ?? {}).flatMap(([key, member]) =>
      memberLines(`${name}.${key}${required.includes(key) ? '' : '?'}`, member),
    ),
    ...(items ? memberLines(`${name}[]`, items) : []),
    ...[...anyOf, ...allOf].flatMap((choice, index) => memberLines(`${name}|${index}`, choice)),
  ]
}

/** A line for each published view, with its columns. */
const PUBLISHED_COLUMNS = `
  SELECT format('%s.%s: %s', n.nspname, c.relname,
                string_agg(format('%s %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)) AS line
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname ~ '_read$'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
   WHERE c.relkind = 'v'
   GROUP BY n.nspname, c.relname
   ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"`
