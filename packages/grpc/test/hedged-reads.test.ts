import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterAll, describe, expect, it } from 'vitest'
import { grpcTransport } from '../src/grpc-transport.ts'
import { fullMethodName } from '../src/service.ts'

const GENERATED = new URL('../src/gen/signet/', import.meta.url)
const files = readdirSync(GENERATED, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('_pb.ts'),
)
const modules: readonly object[] = await Promise.all(
  files.map((name) => import(new URL(name, GENERATED).href)),
)
const services = modules.flatMap((module) =>
  Object.values(module).filter((value): value is DescService => value?.kind === 'service'),
)
const methods = services
  .flatMap((service) => service.methods)
  .filter(({ methodKind }) => methodKind === 'unary')

const isRead = ({ idempotency }: DescMethod) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS

const HEDGE_DELAY_MS = 20
const RESPONSE_MS = 150
const bytes = (value: Buffer) => value

/** Calls of each method at each replica. All respond late. */
const calls = new Map<string, string[]>()
async function startReplica(replica: string) {
  const server = new Server()
  for (const service of services) {
    const definitions = service.methods.map((method) => [
      method.name,
      {
        path: `/${fullMethodName(method)}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
      },
    ])
    const handlers = service.methods.map((method) => [
      method.name,
      async (_: unknown, respond: (error: null, response: Buffer) => void) => {
        const name = fullMethodName(method)
        calls.set(name, [...(calls.get(name) ?? []), replica])
        await pause(RESPONSE_MS)
        respond(null, Buffer.alloc(0))
      },
    ])
    server.addService(Object.fromEntries(definitions), Object.fromEntries(handlers))
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  afterAll(() => server.forceShutdown())
  return port
}

describe('calls that take long', () => {
  it('are made again at the other replica when their method reads, and never when it writes', async () => {
    const ports = await Promise.all([startReplica('first'), startReplica('second')])
    const address = ports.map((port) => `127.0.0.1:${port}`).join(',')
    for (const service of services) {
      const transport = grpcTransport({
        address,
        caller: 'login',
        callee: 'directory',
        hedgeDelayMs: HEDGE_DELAY_MS,
      })
      const unary = service.methods.filter(({ methodKind }) => methodKind === 'unary')
      await Promise.all(
        unary.map((method) => transport.unary(method, new Uint8Array(), { timeoutMs: 5_000 })),
      )
      transport.close()
    }
    const replicasOf = (method: DescMethod) => new Set(calls.get(fullMethodName(method))).size
    const timesOf = (method: DescMethod) => calls.get(fullMethodName(method))?.length
    expect(methods.length).toBeGreaterThan(70)
    for (const method of methods) {
      if (isRead(method)) expect([method.name, replicasOf(method)]).toEqual([method.name, 2])
      else expect([method.name, timesOf(method)]).toEqual([method.name, 1])
    }
  }, 30_000)

  it('are made once when the caller asks for a single attempt', async () => {
    const read = methods.find(isRead)
    if (read === undefined) throw new Error('no method reads')
    const transport = grpcTransport({
      address: `127.0.0.1:${await startReplica('only')}`,
      caller: 'login',
      callee: 'directory',
      hedgeDelayMs: HEDGE_DELAY_MS,
    })
    calls.clear()
    await transport.unary(read, new Uint8Array(), { timeoutMs: 5_000, isSingle: true })
    expect(calls.get(fullMethodName(read))).toEqual(['only'])
    transport.close()
  })
})

/** Methods that read by their name, and those that make a text and store nothing. */
const READS = /^(?:Find|List|Count|Explain|Preview)[A-Z]/
const STORE_NOTHING = [
  'IssueCode',
  'SignArchiveManifest',
  'SignAuthorizationResponse',
  'SignIntrospectionResponse',
]
/** Methods that read by their name, and have an effect: a token that is refused is on record. */
const RECORD_REFUSALS = ['FindEmailChange']

it('NO_SIDE_EFFECTS stands at methods that read, or store nothing, alone', () => {
  const others = methods
    .filter(isRead)
    .flatMap(({ name }) => (READS.test(name) && !RECORD_REFUSALS.includes(name) ? [] : [name]))
  expect(others.toSorted()).toEqual(STORE_NOTHING)
})
