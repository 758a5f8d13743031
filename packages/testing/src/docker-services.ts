import { request } from 'node:http'

const PING_DEADLINE_MS = 500
const POSTGRES_IMAGE = 'postgres:18-alpine'
const REDIS_IMAGE = 'redis:8-alpine'
const PASSWORD = 'test-only'

/** A server that tests use. */
export interface BackingService {
  readonly url: string
  /** Ends the server if this run started it. */
  stop(): Promise<void>
}

/** Whether a Docker engine answers within half a second. */
export async function dockerAnswers(dockerHost = 'unix:///var/run/docker.sock'): Promise<boolean> {
  const url = new URL(dockerHost)
  const target =
    url.protocol === 'unix:' ? { socketPath: url.pathname } : { host: url.hostname, port: url.port }
  return new Promise((resolve) => {
    const ping = request({ ...target, path: '/_ping', timeout: PING_DEADLINE_MS }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    ping.on('timeout', () => ping.destroy())
    ping.on('error', () => resolve(false))
    ping.end()
  })
}

export async function postgresContainer(): Promise<BackingService> {
  const { GenericContainer } = await import('testcontainers')
  const container = await new GenericContainer(POSTGRES_IMAGE)
    .withEnvironment({ POSTGRES_PASSWORD: PASSWORD })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=200'])
    .withExposedPorts(5432)
    .withHealthCheck({ test: ['CMD', 'pg_isready', '-h', '127.0.0.1'], interval: 250, retries: 240 })
    .start()
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`
  return {
    url: `postgresql://postgres:${PASSWORD}@${address}/postgres`,
    stop: async () => {
      await container.stop()
    },
  }
}

export async function redisContainer(): Promise<BackingService> {
  const { GenericContainer } = await import('testcontainers')
  const container = await new GenericContainer(REDIS_IMAGE)
    .withCommand(['redis-server', '--databases', '256', '--maxmemory-policy', 'noeviction'])
    .withExposedPorts(6379)
    .start()
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    stop: async () => {
      await container.stop()
    },
  }
}
