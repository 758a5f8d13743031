import { randomBytes } from 'node:crypto'
import { rpcClient } from '@signet/grpc/client'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { rpcService } from '@signet/grpc/service'
import { silentLogger } from '@signet/platform/logger/logger'
import type { DirectoryConfig } from '../src/config.ts'
import { startDirectory } from '../src/service.ts'
import { directoryFixture } from './directory-fixture.ts'

/** Starts a replica on the database of a fixture, which calls the other services by the network. */
export const startDirectoryIn = (
  network: ReturnType<typeof createInProcessNetwork>,
  directory: Awaited<ReturnType<typeof directoryFixture>>,
  more: Pick<DirectoryConfig, 'clientMetadata'> = {},
) =>
  startDirectory({
    config: { ...directory.config, ...more },
    database: directory.owner,
    token: network.transport('directory', 'token'),
    login: network.transport('directory', 'login'),
    logger: silentLogger,
    now: directory.clock.now,
    random: randomBytes,
  })

/** The directory with as many replicas as asked for, on one database, the way login calls it. */
export async function rpcFixture({
  replicas = 1,
  ...more
}: { replicas?: number } & Pick<DirectoryConfig, 'clientMetadata'> = {}) {
  const directory = await directoryFixture()
  const published: string[][] = []
  const started = await Promise.all(
    Array.from({ length: replicas }, async () => {
      const network = createInProcessNetwork({ onFailure: () => undefined })
      const service = await startDirectoryIn(network, directory, more)
      network.serve('directory', service.rpc ?? [])
      const revocations = rpcService(RevocationService, {
        async publishEndings({ endings }) {
          published.push(endings.map(({ id, value }) => `${id} ${value}`))
          return {}
        },
        endSession: async () => ({}),
        revokeKey: async () => ({}),
      })
      network.serve('token', [revocations])
      const transport = network.transport('login', 'directory')
      return {
        service,
        network,
        credentials: rpcClient(CredentialService, transport),
        accounts: rpcClient(AccountService, transport),
      }
    }),
  )
  const [first] = started
  if (first === undefined) throw new Error('at least one replica is needed')
  return {
    directory,
    /** The epochs of each call of PublishEndings, `alice 1`. */
    published,
    ...first,
    replicas: started,
    async stop() {
      await Promise.all(started.map(({ service }) => service.stop()))
      await directory.stop()
    },
  }
}

export type RpcFixture = Awaited<ReturnType<typeof rpcFixture>>
export const TIMEOUT = { timeoutMs: 20_000 }
