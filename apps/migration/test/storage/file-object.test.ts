import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileLocation } from '../../src/storage/object-location.ts'
import { openObject } from '../../src/storage/open-object.ts'
import { breaking, contentOf, gzip, inChunks, noise, OPTIONS, using as usingWith } from './storage-fixture.ts'

let outside: string
let folder: string
beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'object-storage-'))
  folder = join(outside, 'data')
  await writeFile(join(outside, 'secret'), 'not yours')
  await mkdir(folder)
})
afterAll(() => rm(outside, { recursive: true, force: true }))

const at = (path: string) => fileLocation.parse({ path })
const using: typeof usingWith = (location, work) => usingWith(location, work, { ...OPTIONS, folder })

describe('files', () => {
  it('reads back written bytes, also in new folders and as gzip', async () => {
    const bytes = noise(3_000_000)
    await using(at('a/b/export.json'), async (object) => {
      expect(await object.write(inChunks(bytes))).toEqual({ sizeBytes: bytes.length })
      expect(await object.head()).toEqual({ sizeBytes: bytes.length })
      expect((await contentOf(object)).equals(bytes)).toBe(true)
    })
    await writeFile(join(folder, 'document.gz'), gzip(bytes))
    expect((await using(at('document.gz'), (object) => contentOf(object))).equals(bytes)).toBe(true)
  })

  it('of twenty writers at once exactly one creates the file, whole', async () => {
    const contents = Array.from({ length: 20 }, () => noise(100_000))
    const results = await Promise.allSettled(
      contents.map((bytes) => using(at('raced'), (object) => object.write(inChunks(bytes, 1000)))),
    )
    const winners = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
    expect(winners).toHaveLength(1)
    expect(
      (await readFile(join(folder, 'raced'))).equals(contents[winners[0] ?? -1] ?? Buffer.alloc(0)),
    ).toBe(true)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'object_exists' })
    }
  })

  it('leaves no file when the source fails or the write is aborted', async () => {
    const lost = new Error('the export stream was lost')
    await expect(using(at('half'), (object) => object.write(breaking(noise(2_000_000), lost)))).rejects.toBe(
      lost,
    )
    const stop = new AbortController()
    async function* stopping() {
      yield noise(10)
      stop.abort(new Error('cancelled'))
      yield noise(10)
    }
    await expect(
      using(at('half'), (object) => object.write(stopping(), { signal: stop.signal })),
    ).rejects.toThrow('cancelled')
    expect((await readdir(folder)).filter((name) => /half|partial/.test(name))).toEqual([])
  })

  it('removes the partial file of a killed process by its handle', async () => {
    await writeFile(join(folder, '.x.partial'), 'left')
    await using(at('any'), async (object) => {
      await object.abandonWrite('.x.partial')
      await object.abandonWrite('.x.partial')
      await object.abandonWrite('../secret')
    })
    expect(await readdir(folder)).not.toContain('.x.partial')
    expect(await readdir(outside)).toContain('secret')
  })

  it('no path and no link leads out of the folder [F-41]', async () => {
    for (const path of ['../secret', 'a/../../secret', '..', './x', 'a/./b', 'x\0y', '']) {
      expect(fileLocation.safeParse({ path }).success).toBe(false)
    }
    await symlink(outside, join(folder, 'way-out'))
    await symlink(join(outside, 'secret'), join(folder, 'link'))
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    for (const path of ['way-out/secret', 'link', 'pipe', 'a']) {
      await expect(using(at(path), (object) => contentOf(object))).rejects.toMatchObject({
        reason: 'path_invalid',
      })
    }
    await expect(
      using(at('way-out/deeper/new'), (object) => object.write(inChunks(noise(1)))),
    ).rejects.toMatchObject({ reason: 'path_invalid' })
    expect((await readdir(outside)).toSorted()).toEqual(['data', 'secret'])
    expect(await using(at('/secret'), (object) => object.head()).catch((error) => error)).toMatchObject({
      reason: 'object_missing',
    })
  })

  it('names the missing file or folder', async () => {
    await expect(using(at('nowhere'), (object) => contentOf(object))).rejects.toMatchObject({
      reason: 'object_missing',
      message: 'file object "nowhere": does not exist; check the path (ENOENT)',
    })
    await expect(openObject(at('any'), OPTIONS)).rejects.toMatchObject({ reason: 'path_invalid' })
  })
})
