import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import { MOST_CHARACTERS } from '@signet/grpc/request-check'
import type { ServiceName } from '@signet/platform/process/service'
import { callerOf, fieldsOf, generatedServices, type RequestField } from '@signet/testing/generated-requests'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, expect, it } from 'vitest'

// U+0000, sizes and damaged bytes are refused before the handlers: packages/grpc/test/request-check.test.ts. The values of this
// file reach the handlers.

let system: InProcessSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
}, 60_000)
afterAll(() => system?.stop())

/** The account and a token of a person whom no request names as its subject. */
let bystander: { readonly token: string; readonly user: unknown }
const findBystander = async () => (await system.manage('GET', '/users/carol')).json
beforeAll(async () => {
  const { access_token: token } = await system.tokens({ loginName: 'carol' })
  bystander = { token, user: await findBystander() }
})
afterAll(async () => {
  if (bystander === undefined) return
  expect(await findBystander()).toEqual(bystander.user)
  expect(await system.isActive(bystander.token)).toBe(true)
})

const TEXTS = [
  '',
  '\u202Eeve\u202C',
  'a\u200Bb\uFEFF',
  '\u0007\u001B[2J\r\n',
  "' OR 1=1 --",
  '{"a":',
  '☃'.repeat(3_000),
  'x'.repeat(MOST_CHARACTERS),
]

const BYTES = [
  '{}',
  '{"userId":"a","orgId":"a"}',
  '',
  '\0\x01\xff',
  '{',
  '[]',
  '[1]',
  '[{"id":5}]',
  '[{"userId":"\\u0000"}]',
].map((text) => Buffer.from(text, 'latin1'))

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  string: TEXTS,
  bytes: BYTES,
  bool: [false, true],
  uint32: [0, 1, 2 ** 32 - 1],
  int32: [0, -1, 2 ** 31 - 1],
  int64: [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)],
  enum: [0, 99],
  uint64: [0n, 2n ** 64n - 1n],
}

/** Fields that name the person or object of the request; the callers are trusted to name the right one. */
const SUBJECT = /(^|\.)(user_id|actor_id|id|login_name|user_name)$/

function valuesOf({ path, kind, isList }: RequestField): readonly unknown[] {
  const foreign = kind === 'string' && !SUBJECT.test(path) ? ['carol', 'foreign'] : []
  const values = [...(VALUES[kind] ?? []), ...foreign]
  if (!isList) return values
  return [[], ...values.map((value) => [value]), ...(values.length > 0 ? [Array(2_000).fill(values[1])] : [])]
}

type Method = Awaited<ReturnType<typeof generatedServices>>[number]['methods'][number]

/** Values that exist, by the name of a field, so that a request gets far. */
const EXISTING: Readonly<Record<string, unknown>> = {
  user_id: 'bob',
  actor_id: 'bob',
  actor_kind: 'human',
  organization_id: 'acme',
  client_id: 'web',
  login_name: 'bob',
  password: 'a password of some length',
  list: 'humanUsers',
  records: Buffer.from('[]'),
  on_conflict: 1,
  kind: 1,
  accepted_at: { seconds: 1_700_000_000n, nanos: 0 },
  client_address: '192.0.2.1',
  redirect_uri: REDIRECT_URI,
  job_id: crypto.randomUUID(),
  import_job_id: crypto.randomUUID(),
  secret: 'a'.repeat(43),
  purpose: 'password_reset',
  browser_id: crypto.randomUUID(),
  passkey_id: crypto.randomUUID(),
  sid: crypto.randomUUID(),
}

const calleeOf = (method: Method) => method.parent.typeName.split('.')[1] as ServiceName

async function codeOf(method: Method, transport: RpcTransport, request: object): Promise<string> {
  const client = rpcClient(method.parent, transport) as Record<string, (...args: unknown[]) => unknown>
  try {
    if (method.methodKind === 'unary') await client[method.localName]?.(request, { timeoutMs: 20_000 })
    else {
      const signal = AbortSignal.timeout(2_000)
      const messages = client[method.localName]?.(request, { signal }) as AsyncIterable<unknown>
      for await (const message of messages) return message === undefined ? 'nothing' : 'OK'
    }
    return 'OK'
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { code, message, cause } = error
    return BROKEN.has(code) ? `${code} ${message} ${cause}` : code
  }
}

/** The statuses of a defect. */
const BROKEN: ReadonlySet<string> = new Set(['INTERNAL', 'UNKNOWN', 'DEADLINE_EXCEEDED', 'UNAVAILABLE'])

const shown = (value: unknown) =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part)).slice(0, 60)

const methods = (await generatedServices()).flatMap((service) => service.methods)
const lastly = methods.filter(({ name }) => name === 'DeleteAccount')

it.each([...methods.filter((method) => !lastly.includes(method)), ...lastly])(
  '$name ends with a response or a refusal for every value of a field',
  async (method) => {
    const transport = system.network.transport(callerOf(method), calleeOf(method))
    const fillers = [() => undefined, (name: string) => EXISTING[name]]
    const calls = fillers.flatMap((filler) =>
      fieldsOf(method.input, filler).flatMap((field) =>
        valuesOf(field).map((value) => ({ path: field.path, value, request: field.request(value) })),
      ),
    )
    const broken: string[] = []
    const run = async () => {
      for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
        const code = await codeOf(method, transport, call.request)
        if (BROKEN.has(code.split(' ')[0] ?? '')) broken.push(`${call.path} = ${shown(call.value)}: ${code}`)
      }
    }
    await Promise.all(Array.from({ length: 6 }, run))
    expect(broken).toEqual([])
  },
  120_000,
)
