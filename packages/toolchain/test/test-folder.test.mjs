import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { folderForTests } from '../test-folder.mjs'

it('is the one that somebody chose', async () => {
  expect(await folderForTests({ TMPDIR: '/elsewhere' }, 'small')).toBe('/elsewhere')
})

it('is on a disk for what does not fit into memory', async () => {
  expect(await folderForTests({}, 'soak')).toBe(tmpdir())
})

it('lets a test start what it wrote', async () => {
  const folder = await mkdtemp(join(await folderForTests({}, 'small'), 'signet-folder-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'program'), '#!/bin/sh\necho started\n', { mode: 0o755 })
  expect(execFileSync(join(folder, 'program'), { encoding: 'utf8' })).toBe('started\n')
})
