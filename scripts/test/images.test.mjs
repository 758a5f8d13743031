import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { images } from '../images.mjs'
import { suiteVersion } from '../release/version.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

/** An environment whose `docker` writes down its arguments, and the calls so far. */
function recordedDocker() {
  const folder = temporaryFolder()
  const calls = join(folder, 'calls')
  writeFileSync(calls, '')
  const program = join(folder, 'docker')
  writeFileSync(program, `#!/bin/sh\necho "$@" >> '${calls}'\n`)
  chmodSync(program, 0o755)
  const env = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) }
  return { env, calls: () => readFileSync(calls, 'utf8').trim().split('\n') }
}

it('builds the image of each app and pushes it under the name that the chart asks for', async () => {
  const { env, calls } = recordedDocker()
  expect(await images(['--push', 'registry.example.com/signet'], env)).toBe(0)
  const version = suiteVersion()
  const pushed = calls().filter((call) => call.startsWith('push'))
  expect(pushed).toHaveLength(9)
  expect(pushed).toContain(`push --quiet registry.example.com/signet/token:${version}`)
  const built = calls().filter((call) => call.startsWith('build --quiet'))
  expect(built).toHaveLength(9)
  expect(built[1]).toContain(`APP=token --build-arg VERSION=${version}`)
})

it('pushes nothing without --push', async () => {
  const { env, calls } = recordedDocker()
  await images([], env)
  expect(calls().filter((call) => call.startsWith('push'))).toEqual([])
})

it.each([[['--push']], [['--push', 'not a name']], [['--pull', 'registry.example.com/signet']]])(
  'refuses %j with the option that exists',
  async (args) => {
    const { env, calls } = recordedDocker()
    await expect(images(args, env)).rejects.toThrow('images knows --push REGISTRY alone')
    expect(calls()).toEqual([''])
  },
)
