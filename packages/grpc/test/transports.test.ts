import { once } from 'node:events'
import type { ServiceName } from '@signet/platform/process/service'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { afterEach, describe, expect, it } from 'vitest'
import { type RpcTransport, rpcClient } from '../src/client.ts'
import { RpcError } from '../src/error.ts'
import { CredentialService } from '../src/gen/signet/directory/v1/credential_service_pb.ts'
import { KeyService } from '../src/gen/signet/keys/v1/key_service_pb.ts'
import { startGrpcServer } from '../src/grpc-server.ts'
import { grpcTransport } from '../src/grpc-transport.ts'
import { createInProcessNetwork } from '../src/in-process.ts'
import { type CallContext, rpcService } from '../src/service.ts'

const failures: unknown[] = []
const contexts: CallContext[] = []
const streamEnded = new EventTarget()

/** The errors that verifyPassword throws for these login names. */
const FAILURES: Readonly<Record<string, Error>> = {
  broken: new Error('secret detail'),
  cut: new DependencyUnavailableError('postgres', new Error('secret detail')),
  early: new TemporarilyUnavailableError('Nothing can be signed yet', { reason: 'no_key' }),
}

const credentials = rpcService(CredentialService, {
  findAttemptKey: async () => ({}),
  async verifyPassword({ loginName, password }, context) {
    contexts.push(context)
    if (loginName === 'slow') await once(context.signal, 'abort')
    if (loginName === 'refused') throw new RpcError('INVALID_ARGUMENT', 'login_name is refused')
    const failure = FAILURES[loginName]
    if (failure !== undefined) throw failure
    return password === 'right' ? { account: { userId: loginName, userEpoch: 7n } } : {}
  },
  verifyTotp: async () => ({}),
  verifyRecoveryCode: async () => ({}),
  verifyPasskey: async () => ({}),
})

const keys = rpcService(KeyService, {
  async *lease(_request, { signal }) {
    try {
      for (let revision = 1n; !signal.aborted; revision += 1n) yield { revision }
    } finally {
      streamEnded.dispatchEvent(new Event('ended'))
    }
  },
  async listPublicKeys() {
    return { keys: [] }
  },
  signArchiveManifest: async () => ({}),
  signIntrospectionResponse: async () => ({}),
  signAuthorizationResponse: async () => ({}),
})

interface Harness {
  transport(caller: ServiceName, callee: ServiceName): RpcTransport
  close(): Promise<void>
}

const onFailure = (_method: string, error: unknown) => void failures.push(error)

async function inProcess(): Promise<Harness> {
  const network = createInProcessNetwork({ onFailure })
  network.serve('directory', [credentials, keys])
  return { transport: network.transport, close: async () => network.withdraw('directory') }
}

async function overGrpc(): Promise<Harness> {
  const server = await startGrpcServer({
    services: [credentials, keys],
    host: '127.0.0.1',
    port: 0,
    onFailure,
  })
  const opened: ReturnType<typeof grpcTransport>[] = []
  return {
    transport(caller, callee) {
      const transport = grpcTransport({ address: `127.0.0.1:${server.port}`, caller, callee })
      opened.push(transport)
      return transport
    },
    async close() {
      for (const transport of opened) transport.close()
      await server.stop(1_000)
    },
  }
}

describe.each([
  ['in process', inProcess],
  ['over gRPC', overGrpc],
])('rpc %s', (_, open) => {
  let harness: Harness | undefined
  afterEach(async () => {
    await harness?.close()
    failures.length = 0
    contexts.length = 0
  })
  const client = async (caller: ServiceName = 'login') => {
    harness = await open()
    return rpcClient(CredentialService, harness.transport(caller, 'directory'))
  }

  it('carries messages and the caller', async () => {
    const { account } = await (await client()).verifyPassword(
      { loginName: 'alice', password: 'right' },
      { timeoutMs: 5_000, requestId: 'r1' },
    )
    expect(account).toMatchObject({ userId: 'alice', userEpoch: 7n })
    expect(contexts[0]).toMatchObject({ caller: 'login', requestId: 'r1' })
  })

  it('passes an RpcError on', async () => {
    const calls = await client()
    await expect(calls.verifyPassword({ loginName: 'refused' }, { timeoutMs: 5_000 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'login_name is refused',
    })
  })

  it.each([
    ['broken', 'INTERNAL', 'internal error'],
    ['cut', 'UNAVAILABLE', 'what the service needs is away; repeat the call'],
    ['early', 'UNAVAILABLE', 'Nothing can be signed yet'],
  ])(
    'reports errors that are no RpcError and hides their cause: %s is %s',
    async (loginName, code, message) => {
      const call = (await client()).verifyPassword({ loginName }, { timeoutMs: 5_000 })
      await expect(call).rejects.toMatchObject({ code, message })
      expect(failures).toEqual([FAILURES[loginName]])
    },
  )

  it('ends a call at its deadline, for the callee too', async () => {
    const calls = await client()
    // Connecting is over then, and what takes long is the callee.
    await calls.verifyPassword({}, { timeoutMs: 5_000 })
    await expect(calls.verifyPassword({ loginName: 'slow' }, { timeoutMs: 500 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    })
    await expect.poll(() => contexts[1]?.signal.aborted).toBe(true)
  })

  it('ends a call that its caller gives up', async () => {
    const giveUp = new AbortController()
    const call = (await client()).verifyPassword(
      { loginName: 'slow' },
      { timeoutMs: 5_000, signal: giveUp.signal },
    )
    setImmediate(() => giveUp.abort())
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('refuses callers that the table does not name', async () => {
    await expect(
      (await client('introspection')).verifyPassword({ loginName: 'alice' }, { timeoutMs: 5_000 }),
    ).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
  })

  it('streams until the reader leaves, and notifies the callee', async () => {
    harness = await open()
    const ended = once(streamEnded, 'ended')
    const revisions: bigint[] = []
    for await (const { revision } of rpcClient(KeyService, harness.transport('token', 'directory')).lease(
      {},
    )) {
      revisions.push(revision)
      if (revisions.length === 3) break
    }
    expect(revisions).toEqual([1n, 2n, 3n])
    await ended
  })
})

describe('rpc without a server', () => {
  it('is UNAVAILABLE', async () => {
    const network = createInProcessNetwork({ onFailure })
    const nobody = [
      network.transport('login', 'directory'),
      grpcTransport({ address: '127.0.0.1:1', caller: 'login', callee: 'directory' }),
    ]
    for (const transport of nobody) {
      await expect(
        rpcClient(CredentialService, transport).verifyPassword({}, { timeoutMs: 3_000 }),
      ).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    }
  })

  it('serves plaintext on loopback only', async () => {
    await expect(startGrpcServer({ services: [], host: '0.0.0.0', port: 0, onFailure })).rejects.toThrow(
      'needs certificates',
    )
  })
})
