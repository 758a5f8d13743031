import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { rpcClient } from '@signet/grpc/client'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type DirectoryFixture, directoryFixture, PASSWORD } from './directory-fixture.ts'
import { startDirectoryIn } from './rpc-fixture.ts'

let directory: DirectoryFixture
beforeAll(async () => {
  directory = await directoryFixture()
  const profile = { givenName: 'A', familyName: 'B' }
  const users = [{ id: 'alice', userName: 'alice', profile, password: PASSWORD }]
  await directory.apply({
    organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost', users }],
  })
})
afterAll(() => directory?.stop())

it('refuses at once sign-ins that would wait for more than two seconds, and verifies the others', async () => {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  const service = await startDirectoryIn(network, directory)
  onTestFinished(() => service.stop())
  network.serve('directory', service.rpc ?? [])
  const credentials = rpcClient(CredentialService, network.transport('login', 'directory'))
  const verify = (loginName: string) =>
    credentials.verifyPassword({ loginName, password: PASSWORD }, { timeoutMs: 10_000 })
  await verify('alice')
  const begun = performance.now()
  const times: Record<string, number[]> = { accepted: [], refused: [] }
  const sign = async () => {
    try {
      const { account } = await verify('alice')
      expect(account?.userId).toBe('alice')
      times.accepted?.push(performance.now() - begun)
    } catch (error) {
      expect(error).toMatchObject({ code: 'RESOURCE_EXHAUSTED' })
      times.refused?.push(performance.now() - begun)
    }
  }
  // The shortest of some: one that waited for something else would make too few of them.
  const durations: number[] = []
  while (durations.length < 5) durations.push(await timeOf(() => verify('alice')))
  const hashMs = Math.min(...durations)
  // Six seconds of hashes at once, in as many places as there are.
  await Promise.all(Array.from({ length: Math.min(1_000, (6_000 / hashMs) * availableParallelism()) }, sign))
  const { accepted = [], refused = [] } = times
  expect(accepted.length).toBeGreaterThan(2)
  expect(refused.length).toBeGreaterThan(accepted.length / 4)
  expect(Math.max(...accepted, ...refused)).toBeLessThan(2_500 + 20 * hashMs)
  // Most are refused while the first are hashed.
  const median = refused.toSorted((a, b) => a - b)[Math.floor(refused.length / 2)] ?? 0
  expect(median).toBeLessThan(1_000)
  expect((await verify('alice')).account?.userId).toBe('alice')
})

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
