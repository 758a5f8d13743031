import { setImmediate as turn } from 'node:timers/promises'
import { silentLogger } from '@signet/platform/logger/logger'
import { openTracing } from '@signet/platform/tracing/open-tracing'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { readTracingSettings } from '@signet/platform/tracing/tracing-settings'
import { beforeAll, describe, expect, it } from 'vitest'
import { rpcClient } from './client.ts'
import { CredentialService } from './gen/signet/directory/v1/credential_service_pb.ts'
import { KeyService } from './gen/signet/keys/v1/key_service_pb.ts'
import { createInProcessNetwork } from './in-process.ts'
import { rpcService, tracedService } from './service.ts'
import { tracedTransport } from './traced-transport.ts'

const TRACE = 'a'.repeat(32)
const request = { name: 'GET /x', kind: 'server', attributes: {} } as const

let tracing: Tracing
/** The trace of each handler, and the attributes it received. */
const seen: (string | undefined)[][] = []
beforeAll(async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '600000' }
  const settings = readTracingSettings(env, { service: 'signet', version: '1' })
  if (settings === undefined) throw new Error('no endpoint')
  tracing = await openTracing(settings, () => silentLogger)
})

function connected() {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  const note = (traceparent: string | undefined) => seen.push([tracing.traceId(), traceparent?.split('-')[1]])
  const credentials = rpcService(CredentialService, {
    findAttemptKey: async () => ({}),
    async verifyPassword(_request, { traceparent }) {
      await turn()
      note(traceparent)
      return {}
    },
    verifyTotp: async () => ({}),
    verifyRecoveryCode: async () => ({}),
    verifyPasskey: async () => ({}),
  })
  const keys = rpcService(KeyService, {
    async *lease(_request, { traceparent }) {
      for (let revision = 1n; revision < 3n; revision += 1n) {
        await turn()
        note(traceparent)
        yield { revision }
      }
    },
    listPublicKeys: async () => ({}),
    signArchiveManifest: async () => ({}),
    signIntrospectionResponse: async () => ({}),
    signAuthorizationResponse: async () => ({}),
  })
  network.serve('directory', [tracedService(credentials, tracing)])
  network.serve('keys', [tracedService(keys, tracing)])
  return {
    directory: rpcClient(
      CredentialService,
      tracedTransport(network.transport('login', 'directory'), tracing),
    ),
    keys: rpcClient(KeyService, tracedTransport(network.transport('token', 'keys'), tracing)),
  }
}

describe('traced calls', () => {
  it.each([
    ['of a request are parts of its trace', `00-${TRACE}-${'b'.repeat(16)}-01`, TRACE],
    ['that a service makes by itself are parts of none', undefined, undefined],
  ])('%s', async (_, caller, trace) => {
    const { directory, keys } = connected()
    seen.length = 0
    const call = async () => {
      await directory.verifyPassword({}, { timeoutMs: 5_000 })
      for await (const { revision } of keys.lease({})) expect(revision).toBeGreaterThan(0n)
    }
    await (caller === undefined ? call() : tracing.during(tracing.continueFrom(caller, request), call))
    expect(seen).toEqual([
      [trace, trace],
      [trace, trace],
      [trace, trace],
    ])
  })
})
