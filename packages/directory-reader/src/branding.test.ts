import type { Database, Statement } from '@signet/platform/postgres/pool'
import { beforeEach, expect, it } from 'vitest'
import { createBrandingReader } from './branding.ts'
import type { Changes } from './change-feed.ts'

const [ONE, OTHER] = ['a'.repeat(64), 'b'.repeat(64)]

/** The hashes of the rows of PostgreSQL, and those whose content the reader queried. */
let stored: Set<string>
let loaded: string[]
let isDown: boolean
beforeEach(() => {
  stored = new Set([ONE, OTHER])
  loaded = []
  isDown = false
})

function createReader() {
  const followers: { apply(changes: Changes): void }[] = []
  const query = async ({ name, values = [] }: Statement) => {
    if (isDown) throw new Error('no database')
    if (name === 'directory_reader.current_branding_files') {
      return {
        rows: (values[0] as string[]).filter((sha256) => stored.has(sha256)).map((sha256) => ({ sha256 })),
      }
    }
    const sha256 = String(values[0])
    loaded.push(sha256)
    const row = { sha256, mediaType: 'image/png', content: Buffer.from(sha256) }
    return { rows: stored.has(sha256) ? [row] : [] }
  }
  const reader = createBrandingReader({
    database: { query } as unknown as Database,
    directory: { follow: (follower) => void followers.push(follower) },
    elapsed: () => 0,
  })
  /** Resolves when the reader has asked which files still exist. */
  async function change(organizationId: string): Promise<void> {
    const changes: Changes = {
      ids: new Map([['branding_file', new Set([organizationId])]]),
      overflow: false,
    }
    for (const follower of followers) follower.apply(changes)
    await new Promise(setImmediate)
  }
  return { reader, change }
}

it('drops the file that was deleted and keeps those of other organizations', async () => {
  const { reader, change } = createReader()
  for (const hash of [ONE, OTHER]) expect((await reader.file(hash))?.sha256).toBe(hash)
  stored.delete(ONE)
  await change('acme')
  expect([await reader.file(ONE), (await reader.file(OTHER))?.sha256]).toEqual([undefined, OTHER])
  expect(loaded).toEqual([ONE, OTHER, ONE])
})

it('finds a new file that it knew to be absent', async () => {
  const { reader, change } = createReader()
  stored.delete(ONE)
  expect(await reader.file(ONE)).toBeUndefined()
  stored.add(ONE)
  await change('acme')
  expect((await reader.file(ONE))?.sha256).toBe(ONE)
})

it('drops all files when it cannot ask which still exist', async () => {
  const { reader, change } = createReader()
  await reader.file(ONE)
  isDown = true
  await change('acme')
  await expect(reader.file(ONE)).rejects.toThrow('no database')
})

it('bounds the organizations without texts in its cache', async () => {
  const read: unknown[] = []
  const query = async ({ name, values }: Statement) => {
    if (name === 'directory_reader.login_texts') read.push(...(values ?? []))
    return { rows: [], rowCount: 0 }
  }
  const reader = createBrandingReader({
    database: { query } as unknown as Database,
    directory: { follow: () => undefined },
    elapsed: () => 0,
  })
  const ask = (index: number) => reader.ofOrganization(`org-${index}`)
  for (let index = 0; index < 21_000; index += 1) await ask(index)
  await ask(20_999)
  expect(read).toHaveLength(21_000)
  await ask(0)
  expect(read).toHaveLength(21_001)
})
