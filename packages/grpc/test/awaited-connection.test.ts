import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { freePort } from '@signet/testing/free-port'
import { afterEach, describe, expect, it } from 'vitest'
import { rpcClient } from '../src/client.ts'
import { CredentialService } from '../src/gen/signet/directory/v1/credential_service_pb.ts'
import { type RunningGrpcServer, startGrpcServer } from '../src/grpc-server.ts'
import { grpcTransport } from '../src/grpc-transport.ts'
import { rpcService } from '../src/service.ts'

// Far more than any call waits for a connection: where it matters that a call ends sooner, this one would not.
const LONG_MS = 60_000

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Answers the login name; `held` is never answered. */
async function serve(port: number): Promise<RunningGrpcServer & { readonly received: string[] }> {
  const received: string[] = []
  const service = rpcService(CredentialService, {
    findAttemptKey: async () => ({}),
    async verifyPassword({ loginName }, { signal }) {
      received.push(loginName)
      if (loginName === 'held') await once(signal, 'abort')
      return { account: { userId: loginName } }
    },
    verifyTotp: async () => ({}),
    verifyRecoveryCode: async () => ({}),
    verifyPasskey: async () => ({}),
  })
  const onFailure = (_: string, error: unknown) => expect.unreachable(String(error))
  const server = await startGrpcServer({ services: [service], host: '127.0.0.1', port, onFailure })
  closing.push(() => server.stop(0))
  return { ...server, received }
}

function clientOf(port: number) {
  const transport = grpcTransport({ address: `127.0.0.1:${port}`, caller: 'login', callee: 'directory' })
  closing.push(() => transport.close())
  const client = rpcClient(CredentialService, transport)
  return async (loginName: string, timeoutMs: number, signal?: AbortSignal) => {
    const { account } = await client.verifyPassword({ loginName }, { timeoutMs, ...(signal && { signal }) })
    return account?.userId
  }
}

/** A port where the last attempt to connect has failed, so that a call that does not wait fails at once. */
async function refusedClient() {
  const port = await freePort()
  const call = clientOf(port)
  await expect(call('early', 200)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  return { port, call }
}

describe('a call without a connection', () => {
  it('waits for a service that is just starting', async () => {
    const { port, call } = await refusedClient()
    const calls = ['one', 'two', 'three'].map((name) => call(name, LONG_MS))
    await serve(port)
    expect(await Promise.all(calls)).toEqual(['one', 'two', 'three'])
  })

  it('waits for a service that is being restarted', async () => {
    const port = await freePort()
    const call = clientOf(port)
    const first = await serve(port)
    expect(await call('before', LONG_MS)).toBe('before')
    await first.stop(0)
    await expect(call('meanwhile', 200)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const waiting = call('after', LONG_MS)
    const second = await serve(port)
    expect(await waiting).toBe('after')
    expect(second.received).toEqual(['after'])
  })

  it('fail long before the deadline when the port is closed, with that reason', async () => {
    const { call } = await refusedClient()
    await expect(call('late', LONG_MS)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('fail long before the deadline when the server accepts and does not respond, with that reason', async () => {
    const silent: Server = createServer((socket) => closing.push(() => socket.destroy()))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    closing.push(() => silent.close())
    const address = silent.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await expect(clientOf(port)('late', LONG_MS)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('was not sent, and says so, when its process was busy until the deadline had passed', async () => {
    const { call } = await refusedClient()
    const waiting = call('late', 200)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250)
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('ends when its caller gives up', async () => {
    const { call } = await refusedClient()
    const giveUp = new AbortController()
    const waiting = call('given up', LONG_MS, giveUp.signal)
    giveUp.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(call('given up before', LONG_MS, giveUp.signal)).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

it('a call whose connection is cut after it was sent fails and is not sent again', async () => {
  const port = await freePort()
  const call = clientOf(port)
  const first = await serve(port)
  const held = call('held', LONG_MS).catch((error: unknown) => error)
  await expect.poll(() => first.received).toEqual(['held'])
  await first.stop(0)
  const second = await serve(port)
  expect(await held).toMatchObject({ code: expect.stringMatching(/UNAVAILABLE|CANCELLED/) })
  expect(await call('next', LONG_MS)).toBe('next')
  expect(second.received).toEqual(['next'])
})
