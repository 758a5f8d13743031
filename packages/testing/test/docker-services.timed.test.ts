import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { dockerAnswers } from '../src/docker-services.ts'

it('finds a Docker engine that responds to its ping, and does not wait for a silent one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signet-docker-'))
  let silent = false
  const engine = createServer((request, response) => {
    if (!silent) response.writeHead(request.url === '/_ping' ? 200 : 404).end()
  }).listen(join(folder, 'docker.sock'))
  onTestFinished(async () => {
    engine.closeAllConnections()
    engine.close()
    await rm(folder, { recursive: true })
  })
  await expect(dockerAnswers(`unix://${folder}/docker.sock`)).resolves.toBe(true)
  silent = true
  const before = performance.now()
  await expect(dockerAnswers(`unix://${folder}/docker.sock`)).resolves.toBe(false)
  expect(performance.now() - before).toBeLessThan(2_000)
  await expect(dockerAnswers(`unix://${folder}/missing.sock`)).resolves.toBe(false)
})
