import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ONLY_FULL } from '../../vitest.config.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

it('names only files that exist, each with a reason, as those that npm run test:full alone runs', () => {
  const workspaces = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`).map((name) => `${folder}/${name}`),
  )
  const files = [...workspaces, 'deploy', 'docs', 'e2e'].flatMap((folder) => {
    try {
      return readdirSync(`${ROOT}/${folder}/test`).map((name) => `test/${name}`)
    } catch {
      return []
    }
  })
  expect(ONLY_FULL.filter(([file]) => !files.includes(file))).toEqual([])
  expect(ONLY_FULL.filter(([, why]) => why === '')).toEqual([])
})
