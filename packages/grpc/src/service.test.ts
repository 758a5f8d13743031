import { createMetrics } from '@signet/platform/metrics/metrics'
import { expect, it } from 'vitest'
import { rpcClient } from './client.ts'
import { RpcError } from './error.ts'
import { CredentialService } from './gen/signet/directory/v1/credential_service_pb.ts'
import { KeyService } from './gen/signet/keys/v1/key_service_pb.ts'
import { createInProcessNetwork } from './in-process.ts'
import { createCallMeasure, rpcService } from './service.ts'

it('calls are counted by method and by how they ended, a stream as one', async () => {
  const metrics = createMetrics()
  const measured = createCallMeasure(metrics)
  const leave = new AbortController()
  const network = createInProcessNetwork({ onFailure: () => undefined })
  const credentials = rpcService(CredentialService, {
    findAttemptKey: async () => ({}),
    async verifyPassword({ loginName }) {
      if (loginName === 'refused') throw new RpcError('INVALID_ARGUMENT', 'login_name is refused')
      if (loginName === 'broken') throw new Error('a defect')
      if (loginName === 'impatient') leave.abort()
      return {}
    },
    verifyTotp: async () => ({}),
    verifyRecoveryCode: async () => ({}),
    verifyPasskey: async () => ({}),
  })
  const keys = rpcService(KeyService, {
    async *lease() {
      yield { revision: 1n }
      yield { revision: 2n }
    },
    listPublicKeys: async () => ({}),
    signArchiveManifest: async () => ({}),
    signIntrospectionResponse: async () => ({}),
    signAuthorizationResponse: async () => ({}),
  })
  network.serve('directory', [measured(credentials)])
  network.serve('keys', [measured(keys)])

  const directory = rpcClient(CredentialService, network.transport('login', 'directory'))
  for (const loginName of ['alice', 'alice', 'refused', 'broken'])
    await directory.verifyPassword({ loginName }, { timeoutMs: 5_000 }).catch(() => undefined)
  await directory
    .verifyPassword({ loginName: 'impatient' }, { timeoutMs: 5_000, signal: leave.signal })
    .catch(() => undefined)
  for await (const { revision } of rpcClient(KeyService, network.transport('token', 'keys')).lease({}))
    expect(revision).toBeGreaterThan(0n)

  const lines = (await metrics.text()).split('\n').filter((line) => line.includes('_count{'))
  const counted = (method: string, code: string, count: number) =>
    `signet_rpc_request_duration_seconds_count{method="${method}",code="${code}"} ${count}`
  const verifyPassword = 'signet.directory.v1.CredentialService/VerifyPassword'
  expect(lines).toEqual([
    counted(verifyPassword, 'OK', 2),
    counted(verifyPassword, 'INVALID_ARGUMENT', 1),
    counted(verifyPassword, 'INTERNAL', 1),
    counted(verifyPassword, 'CANCELLED', 1),
    counted('signet.keys.v1.KeyService/Lease', 'OK', 1),
  ])
})
