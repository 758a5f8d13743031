import { freePort } from '@signet/testing/free-port'
import { afterEach, describe, expect, it } from 'vitest'
import { rpcClient } from '../src/client.ts'
import { CredentialService } from '../src/gen/signet/directory/v1/credential_service_pb.ts'
import { KeyService } from '../src/gen/signet/keys/v1/key_service_pb.ts'
import { type GrpcServerOptions, type RunningGrpcServer, startGrpcServer } from '../src/grpc-server.ts'
import { type GrpcTransport, grpcTransport } from '../src/grpc-transport.ts'
import { rpcService } from '../src/service.ts'

const servers: RunningGrpcServer[] = []
const transports: GrpcTransport[] = []
afterEach(async () => {
  for (const transport of transports.splice(0)) transport.close()
  await Promise.all(servers.splice(0).map((server) => server.stop(0)))
})

/** A replica that returns its name, and whose streams last until the test ends them. */
async function startReplica(
  name: string,
  options: Partial<GrpcServerOptions> = {},
): Promise<RunningGrpcServer> {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    onFailure: (_, error) => expect.unreachable(String(error)),
    ...options,
    services: [
      rpcService(CredentialService, {
        findAttemptKey: async () => ({}),
        async verifyPassword() {
          return { account: { userId: name } }
        },
        verifyTotp: async () => ({}),
        verifyRecoveryCode: async () => ({}),
        verifyPasskey: async () => ({}),
      }),
      rpcService(KeyService, {
        async *lease(_request, { signal }) {
          yield { revision: 1n }
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        },
        async listPublicKeys() {
          return { keys: [] }
        },
        signArchiveManifest: async () => ({}),
        signIntrospectionResponse: async () => ({}),
        signAuthorizationResponse: async () => ({}),
      }),
    ],
  })
  servers.push(server)
  return server
}

function transportTo(...ports: readonly number[]): GrpcTransport {
  const address = ports.map((port) => `127.0.0.1:${port}`).join(',')
  const transport = grpcTransport({ address, caller: 'login', callee: 'directory' })
  transports.push(transport)
  return transport
}

function whoAnswers(transport: GrpcTransport): () => Promise<string> {
  const client = rpcClient(CredentialService, transport)
  return async () => (await client.verifyPassword({}, { timeoutMs: 3_000 })).account?.userId ?? ''
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  await expect.poll(condition, { timeout: 15_000, interval: 50 }).toBe(true)
}

describe('gRPC to several replicas', () => {
  it('takes them in turn', async () => {
    const [one, two] = await Promise.all([startReplica('one'), startReplica('two')])
    const ask = whoAnswers(transportTo(one.port, two.port))
    await until(async () => (await ask()) === 'two')
    const answers = await Promise.all(Array.from({ length: 40 }, ask))
    expect(answers.filter((name) => name === 'one')).toHaveLength(20)
  })

  it('drains one of them under load without losing a call', async () => {
    const [one, two] = await Promise.all([startReplica('one'), startReplica('two')])
    const ask = whoAnswers(transportTo(one.port, two.port))
    await until(async () => (await ask()) === 'two')
    let running = true
    const callers = Array.from({ length: 20 }, async () => {
      const answers: string[] = []
      while (running) answers.push(await ask())
      return answers
    })
    await until(async () => (await ask()) === 'one')
    expect(await one.stop(10_000)).toBe(true)
    for (let call = 0; call < 50; call += 1) expect(await ask()).toBe('two')
    running = false
    const answers = (await Promise.all(callers)).flat()
    expect(answers.length).toBeGreaterThan(100)
    expect(new Set(answers)).toEqual(new Set(['one', 'two']))
  })

  it('finds a replica that is available again', async () => {
    const port = await freePort()
    const ask = whoAnswers(transportTo(port))
    await expect(ask()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const first = await startReplica('first', { port })
    await until(() => ask().then(Boolean, () => false))
    await first.stop(0)
    await startReplica('second', { port })
    await until(() =>
      ask().then(
        (name) => name === 'second',
        () => false,
      ),
    )
  })

  it('asks streams to end when it stops, so that the stop is quick', async () => {
    const server = await startReplica('one')
    const stream = rpcClient(KeyService, grpcTransportAs('token', server.port))
      .lease({})
      [Symbol.asyncIterator]()
    await stream.next()
    const ended = stream.next()
    const startedAt = performance.now()
    expect(await server.stop(20_000)).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await ended).toMatchObject({ done: true })
  })

  it('a connection that reached its age loses its streams and no call', async () => {
    const server = await startReplica('one', { maxConnectionAgeMs: 500 })
    const transport = grpcTransportAs('token', server.port)
    const keys = rpcClient(KeyService, transport)
    const failures: unknown[] = []
    let running = true
    const calls = (async () => {
      while (running)
        await keys.listPublicKeys({}, { timeoutMs: 3_000 }).catch((error) => failures.push(error))
    })()
    const stream = keys.lease({})[Symbol.asyncIterator]()
    await stream.next()
    await expect(stream.next()).rejects.toMatchObject({
      code: expect.stringMatching(/UNAVAILABLE|CANCELLED/),
    })
    const reopened = keys.lease({})[Symbol.asyncIterator]()
    expect(await reopened.next()).toMatchObject({ value: { revision: 1n } })
    running = false
    await calls
    expect(failures).toEqual([])
  })
})

function grpcTransportAs(caller: 'token', port: number): GrpcTransport {
  const transport = grpcTransport({ address: `127.0.0.1:${port}`, caller, callee: 'keys' })
  transports.push(transport)
  return transport
}
