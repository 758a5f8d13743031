import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { size } from '@signet/testing/sizes'
import { expect, it } from 'vitest'
import { convertToFile, requireSource } from '../src/migration/converted-document.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of the heap and of buffers that are still referred to. */
function usedBytes(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const user = (at: number) => ({
  id: `user-${at}`,
  username: `user-${at}`,
  enabled: true,
  email: `user-${at}@acme.example`,
  attributes: { note: ['x'.repeat(200)] },
  groups: ['/staff'],
  unknown: at,
})

it('converts any number of users in constant memory', { timeout: 600_000 }, async () => {
  const users = size('convertedUsers')
  const folder = await mkdtemp(join(tmpdir(), 'signet-memory-'))
  const place = join(folder, 'realm.json')
  await writeFile(place, '{"realm":"acme","id":"acme","groups":[{"name":"staff","path":"/staff"}],"users":[')
  for (let at = 0; at < users; at += 1_000) {
    const block = Array.from({ length: Math.min(1_000, users - at) }, (_, index) => user(at + index))
    await appendFile(place, `${at === 0 ? '' : ','}${JSON.stringify(block).slice(1, -1)}`)
  }
  await appendFile(place, ']}')
  const before = usedBytes()
  let most = Number.NEGATIVE_INFINITY
  const { convert, files } = requireSource('keycloak')
  async function* measured(...args: Parameters<typeof convert>) {
    let parts = 0
    for await (const part of convert(...args)) {
      yield part
      parts += 1
      if (parts % 20_000 === 0) most = Math.max(most, usedBytes() - before)
    }
  }
  const target = join(folder, 'document.json')
  const { leftOut } = await convertToFile({ convert: measured, files }, { place, target, options: {} })
  expect(leftOut.kinds()).toMatchObject([{ kind: 'users[].unknown', count: users }])
  expect((await stat(target)).size).toBeGreaterThan(users * 400)
  expect(most).toBeGreaterThan(Number.NEGATIVE_INFINITY)
  expect(most).toBeLessThan(32 * 1_048_576)
  await rm(folder, { recursive: true })
})
