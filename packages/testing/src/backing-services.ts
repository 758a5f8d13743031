import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { removeDataDirectory } from '@signet/dev-stack/databases/data-directory'
import { type EmbeddedPostgres, startPostgres } from '@signet/dev-stack/databases/postgres'
import { type EmbeddedRedis, startRedis } from '@signet/dev-stack/databases/redis'
import { dropDatabasesOfRun, withClient } from './database-names.ts'
import { type BackingService, dockerAnswers, postgresContainer, redisContainer } from './docker-services.ts'
import { configureShortLived } from './server-settings.ts'
import { preparedDataFolders, temporaryFolder } from './temporary-folder.ts'

export interface BackingServices {
  readonly postgres: BackingService
  readonly redis: BackingService
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * PostgreSQL and Redis for one run of the tests: the servers that `SIGNET_TEST_POSTGRES_URL` and
 * `SIGNET_TEST_REDIS_URL` name, else containers where a Docker engine answers and can start them, else private servers
 * in a temporary folder.
 */
export async function startBackingServices(env: Environment): Promise<BackingServices> {
  const given = { postgres: env.SIGNET_TEST_POSTGRES_URL, redis: env.SIGNET_TEST_REDIS_URL }
  const docker = !(given.postgres && given.redis) && (await dockerAnswers(env.DOCKER_HOST || undefined))
  const [postgres, redis] = await Promise.all([
    given.postgres ? givenServer(given.postgres) : ownServer(embeddedPostgres, docker && postgresContainer),
    given.redis ? givenServer(given.redis) : ownServer(embeddedRedis, docker && redisContainer),
  ])
  return { postgres, redis }
}

/** A container if there is to be one. An engine that answers may have no image, and no way to one: that is said. */
export async function ownServer(
  embedded: () => Promise<BackingService>,
  container: false | (() => Promise<BackingService>),
): Promise<BackingService> {
  if (!container) return embedded()
  try {
    return await container()
  } catch (error) {
    process.stderr.write(`signet: a private server, because the Docker engine starts none: ${error}\n`)
    return embedded()
  }
}

function givenServer(url: string): BackingService {
  return { url, stop: async () => {} }
}

const embeddedPostgres = () =>
  embedded('postgres', async (folder) => {
    const server = await startPostgres({ dataDirectory: folder, durable: false })
    await withClient(server.url.reveal(), configureShortLived)
    return server
  })
export const embeddedRedis = () => embedded('redis', (folder) => startRedis({ dataDirectory: folder }))

/** A server whose data are in a temporary folder. */
async function embedded(
  purpose: string,
  start: (folder: string) => Promise<EmbeddedPostgres | EmbeddedRedis>,
): Promise<BackingService> {
  const folder = await temporaryFolder(purpose)
  const server = await start(folder)
  return {
    url: server.url.reveal(),
    stop: async () => {
      await server.discard()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The environment in which the processes of one run find its servers, and the id with which they mark what they make. */
export interface RunEnvironment {
  readonly SIGNET_TEST_POSTGRES_URL: string
  readonly SIGNET_TEST_REDIS_URL: string
  readonly SIGNET_TEST_RUN_ID: string
}

export interface ServersOfRun {
  readonly env: RunEnvironment
  /** Drops the databases and the prepared data of the run and stops the servers, unless a process before this one started the run. */
  stop(): Promise<void>
}

/** Starts the servers of a run, or joins the run that `env` names. */
export async function startServersOfRun(env: Environment): Promise<ServersOfRun> {
  const { postgres, redis } = await startBackingServices(env)
  const joined = env.SIGNET_TEST_RUN_ID
  const runId = joined || randomBytes(4).toString('hex')
  return {
    env: {
      SIGNET_TEST_POSTGRES_URL: postgres.url,
      SIGNET_TEST_REDIS_URL: redis.url,
      SIGNET_TEST_RUN_ID: runId,
    },
    stop: async () => {
      if (joined) return
      await dropDatabasesOfRun(postgres.url, runId)
      const prepared = await preparedDataFolders(runId)
      await Promise.all([postgres.stop(), redis.stop(), ...prepared.map(removeDataDirectory)])
    },
  }
}
