import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startBackingServices } from '../src/backing-services.ts'

const execute = promisify(execFile)
const FILES = ['postgres', 'redis'].map((kind) => `packages/testing/test/${kind}-fixture.test.ts`)

/** Runs tests of the ordinary suite on the servers that `env` leads to; answers the images of the containers it started. */
async function runOn(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const filters = ['event=start', 'label=org.testcontainers=true'].flatMap((filter) => ['--filter', filter])
  // Watched from before: an engine keeps only its last few hundred events, health checks included.
  const args = ['events', '--since', `${Date.now() / 1000}`, ...filters, '--format', '{{.From}}']
  const events = spawn('docker', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let started = ''
  events.stdout.setEncoding('utf8').on('data', (text: string) => {
    started += text
  })
  try {
    await execute('vitest', ['run', ...FILES], { env: { ...process.env, ...env } })
  } finally {
    events.kill()
  }
  return started.split('\n').filter(Boolean).sort()
}

describe('the servers of the tests', () => {
  it('are containers with a Docker engine', async () => {
    expect(await runOn({})).toEqual(['postgres:18-alpine', 'redis:8-alpine'])
  })

  it('are those that the environment names, which go on afterwards', async () => {
    const { postgres, redis } = await startBackingServices({ DOCKER_HOST: process.env.DOCKER_HOST })
    try {
      const given = { SIGNET_TEST_POSTGRES_URL: postgres.url, SIGNET_TEST_REDIS_URL: redis.url }
      expect(await runOn(given)).toEqual([])
      expect(await runOn(given)).toEqual([])
    } finally {
      await Promise.all([postgres.stop(), redis.stop()])
    }
  })

  it('are private processes where there is neither', async () => {
    expect(await runOn({ DOCKER_HOST: 'unix:///nowhere/docker.sock' })).toEqual([])
  })
})
