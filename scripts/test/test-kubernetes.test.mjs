import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from './temporary-folder.mjs'

const SCRIPT = fileURLToPath(new URL('../run.mjs', import.meta.url))

it('says first that it has no kubelet, then that Go is missing, and fails', () => {
  const env = { PATH: temporaryFolder() }
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, 'test:kubernetes'], {
    env,
    encoding: 'utf8',
  })
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^signet: an API server alone: no kubelet, .* Not shown are pods that run/),
    expect.stringMatching(/^signet: there is no Go to build the API server with; install Go/),
  ])
  expect(status).toBe(1)
})
