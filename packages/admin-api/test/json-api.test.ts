import { BlockList } from 'node:net'
import { RpcError } from '@signet/grpc/error'
import { createHttpApp } from '@signet/http/app'
import { createLogger } from '@signet/platform/logger/logger'
import { type HttpListener, listenHttp } from '@signet/platform/process/http-listener'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { Router } from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError } from '../src/api-error.ts'
import { createJsonBodyParser } from '../src/json-body.ts'
import { jsonErrorHandler } from '../src/json-error-handler.ts'

const lines: Record<string, unknown>[] = []
const logger = createLogger({
  service: 'directory',
  level: 'debug',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
})

const schema = z.strictObject({ state: z.enum(['on', 'off']), userName: z.string().min(2).optional() })
const thrown: Record<string, unknown> = {
  api: new ApiError('ABORTED', 'somebody else was first', {
    reason: 'etag_mismatch',
    status: 412,
    details: [{ id: 'etag_mismatch', etag: '"2"' }],
    cause: new Error('canary'),
  }),
  dependency: new DependencyUnavailableError('postgres', new Error('canary')),
  rpc: new RpcError('DEADLINE_EXCEEDED', 'canary'),
  refused: new RpcError('PERMISSION_DENIED', 'canary'),
  defect: new Error('canary: relation "grant" does not exist'),
}
const routes = [
  Router().post(
    '/echo',
    createJsonBodyParser({ limitBytes: 1_000, mostValues: 50, opaque: ['metadata'] }),
    (req, res) => void res.json(req.body),
  ),
  Router().post(
    '/parsed',
    createJsonBodyParser(),
    (req, res) => void res.json(schema.parse(req.body, { reportInput: true })),
  ),
  Router().get('/thrown/:name', (req) => {
    throw thrown[req.params.name]
  }),
]

let listener: HttpListener
let base: string
beforeAll(async () => {
  const app = createHttpApp({
    logger,
    issuer: 'http://localhost',
    trustedProxies: new BlockList(),
    routes,
    onError: jsonErrorHandler(logger),
  })
  listener = await listenHttp({ listener: app, port: 0, host: '127.0.0.1' })
  base = `http://127.0.0.1:${listener.port}`
})
afterAll(() => listener.close(0))
beforeEach(() => void lines.splice(0))

const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`

async function post(path: string, body: BodyInit | null, contentType = 'application/json') {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': contentType },
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe('createJsonBodyParser', () => {
  it('reads lowerCamelCase and snake_case at every depth', async () => {
    const { body } = await post(
      '/echo',
      '{"user_name":1,"firstName":[{"street_address":null}],"__proto__":2}',
    )
    expect(Object.entries(body)).toEqual([
      ['userName', 1],
      ['firstName', [{ streetAddress: null }]],
      ['__proto__', 2],
    ])
  })

  it('leaves names alone that belong to the caller', async () => {
    const { body } = await post('/echo', '{"metadata":{"customer_no":{"a_b":1},"customerNo":2}}')
    expect(body).toEqual({ metadata: { customer_no: { a_b: 1 }, customerNo: 2 } })
  })

  it.each([
    ['a field in both spellings', '{"user":{"userName":1,"user_name":2}}', 'user.userName: is given twice'],
    ['a repeated field', '{"a":{"b":1,"\\u0062":2}}', 'b: is given more than once'],
    ['U+0000 in a value', '{"a":["\\u0000"]}', 'a[0]: holds a zero character'],
    ['half a surrogate pair', '{"a":{"b":"\\ud800"}}', 'a.b: holds half a surrogate pair'],
    ['half a surrogate pair in a name', '{"a":{"\\udfff":1}}', 'a: holds half a surrogate pair'],
    ['many members', members(51), 'more than 50 members and elements'],
    ['many elements', `{"a":[${'0,'.repeat(50)}0]}`, 'more than 50 members and elements'],
    ['many objects', `{"a":[${'[],'.repeat(40)}0]}`, 'more than 50 members and elements'],
    ['deep nesting', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'nested deeper than 32 levels'],
    ['another value', '[1]', 'must be a JSON object'],
    ['null', 'null', 'must be a JSON object'],
    ['no value', ' ', 'not JSON'],
    ['comments', '{"a":1 /* */}', 'not JSON'],
    ['a trailing comma', '{"a":1,}', 'not JSON'],
    ['what follows the value', '{"a":1}{', 'not JSON'],
  ])('refuses %s', async (_, text, message) => {
    const answer = await post('/echo', text)
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } })
    expect(answer.body.message).toContain(message)
  })

  it('a comma or bracket inside of a string is no member', async () => {
    const value = { a: ',[{'.repeat(60) }
    expect((await post('/echo', JSON.stringify(value))).body).toEqual(value)
  })

  it('structure inside of strings does not count', async () => {
    const value = { 'a"b': '{"c":[{"c":1}],"c":2}\\', c: ['\\"', '}'] }
    expect((await post('/echo', JSON.stringify(value))).body).toEqual(value)
  })

  it('refuses bytes that are not UTF-8, other content types and a missing body', async () => {
    expect(await post('/echo', new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({
      status: 400,
      body: { code: 3 },
    })
    expect((await post('/echo', '{}', 'text/plain')).body.message).toBe(
      'the body must be application/json in UTF-8',
    )
    expect((await post('/echo', '{}', 'application/json; charset=utf-8')).status).toBe(200)
    expect((await post('/echo', null)).body.message).toBe('the body must be a JSON object')
  })

  it('returns 413 above the limit', async () => {
    expect(await post('/echo', JSON.stringify({ a: 'x'.repeat(1_000) }))).toMatchObject({
      status: 413,
      body: { code: 3 },
    })
  })
})

describe('jsonErrorHandler', () => {
  it('names every field and the rule it breaks', async () => {
    const { status, headers, body } = await post('/parsed', '{"user_name":"a","other":1}')
    expect(status).toBe(400)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      code: 3,
      message: expect.stringMatching(/^state: is required; userName: .*; other: unknown field$/),
      details: [
        { id: 'field_invalid', field: 'state', rule: 'is required' },
        { id: 'field_invalid', field: 'userName', rule: expect.any(String) },
        { id: 'field_invalid', field: 'other', rule: 'unknown field' },
      ],
    })
  })

  it('does not repeat a name that is no name', async () => {
    const { body } = await post('/parsed', '{"state":"on","call +49 555 now":1}')
    expect(body.message).toBe('(unprintable): unknown field')
  })

  it.each([
    ['api', 412, 10, 'somebody else was first', 'etag_mismatch'],
    ['dependency', 503, 14, expect.stringContaining('repeat the call'), 'postgres_unavailable'],
    ['rpc', 503, 14, expect.stringContaining('repeat the call'), 'service_unavailable'],
    ['refused', 500, 13, 'The server met an unexpected condition', 'unexpected'],
    ['defect', 500, 13, 'The server met an unexpected condition', 'unexpected'],
  ])('%s: returns %d with code %d and no text of a cause', async (name, status, code, message, id) => {
    const response = await fetch(`${base}/thrown/${name}`)
    const text = await response.text()
    expect(response.status).toBe(status)
    expect(JSON.parse(text)).toMatchObject({ code, message, details: [{ id }] })
    expect(text).not.toContain('canary')
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
  })

  it('refuses unknown paths, other methods and malformed paths in the same format', async () => {
    const unknown = await fetch(`${base}/nothing`)
    expect([unknown.status, await unknown.json()]).toEqual([404, expect.objectContaining({ code: 5 })])
    const method = await fetch(`${base}/echo`)
    expect([method.status, method.headers.get('allow'), await method.json()]).toEqual([
      405,
      'POST',
      expect.objectContaining({ code: 12 }),
    ])
    const path = await fetch(`${base}/thrown/%ff`)
    expect([path.status, await path.json()]).toEqual([400, expect.objectContaining({ code: 3 })])
  })
})
