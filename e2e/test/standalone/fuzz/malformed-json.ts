import { ADMIN_TOKEN } from '@signet/testing/system/oauth-directory'
import fc from 'fast-check'
import type { Provider } from '../provider.ts'
import { headerText, hostileText } from './hostile-text.ts'
import type { RawRequest } from './raw-request.ts'

/** An operation of the JSON APIs with a body that it would take. */
export interface JsonTarget {
  readonly method: string
  /** Path with `{name}` where an id stands. */
  readonly path: string
  readonly example: unknown
}

interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}

/** Targets of the keys service. A valid rotation is left out: it would cost an RSA key each time. */
const KEYS: readonly JsonTarget[] = [
  { method: 'GET', path: '/management/v1/keys', example: undefined },
  { method: 'POST', path: '/management/v1/keys/rotate', example: { algorithm: 'nonsense' } },
  { method: 'POST', path: '/management/v1/keys/{kid}/revoke', example: {} },
]

/** Every operation that the OpenAPI document describes, and those of the keys. */
export async function goodJsonRequests(provider: Provider): Promise<readonly JsonTarget[]> {
  const { json } = await provider.system.fetch('/management/v1/openapi.json')
  const paths = json.paths as Readonly<Record<string, Readonly<Record<string, Described>>>>
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      example: requestBody?.content['application/json']?.example,
    })),
  )
  return [...described, ...KEYS]
}

/** Requests of an administrator, mostly, whose ids, query and body are damaged. The named objects do not exist. */
export function malformedJson(
  { method, path, example }: JsonTarget,
  known: readonly string[],
): fc.Arbitrary<RawRequest> {
  const text = hostileText(known)
  const value = fc.oneof(fc.jsonValue(), text)
  const id = fc.oneof(fc.constant('ghost'), text.map(encodeURIComponentLoosely))
  return fc
    .record({
      id,
      query: fc.array(fc.tuple(fc.constantFrom('limit', 'cursor', 'state', 'name', 'x'), text), {
        maxLength: 2,
      }),
      body: fc.oneof(
        { weight: 6, arbitrary: damaged(example, value).map((json) => JSON.stringify(json)) },
        value.map((json) => JSON.stringify(json)),
        text,
      ),
      authorization: fc.oneof(
        { weight: 6, arbitrary: fc.constant(`Bearer ${ADMIN_TOKEN}`) },
        headerText(known),
      ),
      precondition: fc.option(headerText(known), { freq: 5, nil: undefined }),
      contentType: fc.oneof({ weight: 8, arbitrary: fc.constant('application/json') }, headerText(known)),
    })
    .map(({ id, query, body, authorization, precondition, contentType }) => ({
      method,
      target: `${path.replaceAll(/\{\w+\}/g, id)}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`,
      headers: {
        authorization,
        'content-type': contentType,
        ...(precondition !== undefined && { 'if-match': precondition, 'idempotency-key': precondition }),
      },
      ...(method !== 'GET' && { body }),
    }))
}

/** The example with some of its members replaced, left out or added, at one depth or another. */
function damaged(example: unknown, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return value
  const members = Object.entries(example).map(([name, member]) => [
    name,
    fc.oneof({ weight: 4, arbitrary: fc.constant(member) }, value, damaged(member, value)),
  ])
  const record = fc.record(Object.fromEntries(members), { requiredKeys: [] })
  const added = fc.dictionary(fc.string({ maxLength: 12 }), value, { maxKeys: 1 })
  return fc.tuple(record, added).map(([kept, more]) => ({ ...(kept as object), ...more }))
}

function encodeURIComponentLoosely(text: string): string {
  return encodeURIComponent(text.toWellFormed()) || '%20'
}
