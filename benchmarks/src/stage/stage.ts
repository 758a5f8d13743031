import { type ContenderProcess, startContender } from '../contenders/contender-process.ts'
import { type KeycloakPeer, openKeycloak } from '../contenders/keycloak.ts'
import type { LimitSettings } from '../contenders/limit.ts'
import type { PeerSettings } from '../contenders/peer.ts'
import { type Connections, openConnections } from '../load/http-exchange.ts'
import type { Sizes } from '../sizes.ts'
import { REDIRECT_URI, SECRET } from './directory-document.ts'
import { productionEnvironment } from './production-environment.ts'
import { type RunningSignet, startSignet } from './signet.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Measured systems, running side by side. */
export interface Stage {
  readonly sizes: Sizes
  readonly signet: RunningSignet
  readonly peer: ContenderProcess
  readonly limit: ContenderProcess
  readonly keycloak?: KeycloakPeer
  readonly connections: Connections
  stop(): Promise<void>
}

interface StageOptions {
  /** Folder in which each process leaves a CPU profile. */
  readonly profileFolder?: string | undefined
  readonly withKeycloak?: boolean
}

/** Starts Signet, the peer and the limit on one PostgreSQL and one Redis. */
export async function openStage(
  sizes: Sizes,
  { profileFolder, withKeycloak = false }: StageOptions = {},
): Promise<Stage> {
  const opened = new AsyncDisposableStack()
  const production = productionEnvironment()
  const environment = {
    ...production,
    ...(profileFolder !== undefined && {
      NODE_OPTIONS: `${production.NODE_OPTIONS} --cpu-prof --cpu-prof-dir=${profileFolder}`,
    }),
  }
  try {
    const signet = await startSignet(await temporaryFolder(opened), environment)
    opened.defer(() => signet.stop())
    const { redisUrl, postgresAdminUrl } = signet.databases
    const peerSettings: PeerSettings = {
      redisUrl: `${redisUrl.reveal()}/1`,
      clientId: 'web',
      es256ClientId: 'web-es256',
      clientSecret: SECRET,
      redirectUri: REDIRECT_URI,
    }
    const peer = await startContender('./peer.ts', peerSettings, environment)
    opened.defer(() => peer.stop())
    const limitSettings: LimitSettings = { postgresUrl: postgresAdminUrl.reveal() }
    const limit = await startContender('./limit.ts', limitSettings, environment)
    opened.defer(() => limit.stop())
    const keycloak = withKeycloak ? await openKeycloak(postgresAdminUrl) : undefined
    if (keycloak) opened.defer(() => keycloak.stop())
    const connections = openConnections(sizes.lanes)
    opened.defer(() => connections.close())
    const servers = { signet, peer, limit, ...(keycloak && { keycloak }) }
    return { sizes, ...servers, connections, stop: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
