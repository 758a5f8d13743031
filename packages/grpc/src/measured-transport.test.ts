import { createMetrics } from '@signet/platform/metrics/metrics'
import { expect, it } from 'vitest'
import { type RpcTransport, rpcClient } from './client.ts'
import { RpcError } from './error.ts'
import { KeyService } from './gen/signet/keys/v1/key_service_pb.ts'
import { clientCallMeasure, measuredTransport } from './measured-transport.ts'

const transport = (unary: RpcTransport['unary']): RpcTransport => ({
  unary,
  async *serverStream() {},
})

it('measures calls of several callees as the caller sees them, also one that did not reach its callee', async () => {
  const metrics = createMetrics()
  const measure = clientCallMeasure(metrics)
  const options = { timeoutMs: 1_000 }
  const call = (callee: string, unary: RpcTransport['unary']) =>
    rpcClient(
      KeyService,
      measuredTransport(transport(unary), callee, () => measure.observe),
    ).listPublicKeys({}, options)
  expect(clientCallMeasure(metrics)).toBe(measure)
  await call('keys', async () => new Uint8Array())
  await expect(
    call('token', () => Promise.reject(new RpcError('UNAVAILABLE', 'connection refused'))),
  ).rejects.toThrow('connection refused')
  const text = await metrics.text()
  const method = 'signet.keys.v1.KeyService/ListPublicKeys'
  for (const labels of [
    `callee="keys",method="${method}",code="OK"`,
    `callee="token",method="${method}",code="UNAVAILABLE"`,
  ]) {
    expect(text).toContain(`signet_rpc_client_duration_seconds_count{${labels}} 1`)
  }
})
