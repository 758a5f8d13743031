import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newIdentity, opened, readIdentities, sealed } from '@signet/file-formats/archive/sealing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// The program age opens what Signet sealed, and the other way round. `npm run test:interop` runs it where age is installed,
// and names it where it is not.

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const canRun = ['age', 'age-keygen'].every((program) => programs.includes(program))

const run = promisify(execFile)
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signet-age-'))
})
afterAll(() => rm(folder, { recursive: true }))

const file = (name: string) => join(folder, name)

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
}

async function collected(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A pair that age-keygen made. */
async function ageKeys(name: string) {
  await run('age-keygen', ['-o', file(name)])
  const text = await readFile(file(name), 'utf8')
  return { identities: await readIdentities(text), recipient: /age1\w+/.exec(text)?.[0] ?? '' }
}

describe.skipIf(!canRun)('age', () => {
  // age writes no file for an empty document.
  it.each([1, 65_536, 65_537, 1_000_000])('opens %d bytes that were sealed here', async (length) => {
    const bytes = randomBytes(length)
    const { recipient } = await ageKeys(`identity-${length}`)
    const ours = await newIdentity()
    await writeFile(file('sealed'), await collected(sealed(pieces(bytes), [ours.recipient, recipient])))
    await writeFile(file('ours'), `${ours.identity}\n`)
    for (const identity of [`identity-${length}`, 'ours']) {
      await run('age', [
        '--decrypt',
        '--identity',
        file(identity),
        '--output',
        file('opened'),
        file('sealed'),
      ])
      expect((await readFile(file('opened'))).equals(bytes)).toBe(true)
    }
  })

  it.each([0, 1, 65_536, 65_537, 1_000_000])('seals %d bytes that are opened here', async (length) => {
    const bytes = randomBytes(length)
    const { identities, recipient } = await ageKeys(`other-${length}`)
    await writeFile(file('plain'), bytes)
    await run('age', ['--recipient', recipient, '--output', file('sealed'), file('plain')])
    const plain = await collected(opened(pieces(await readFile(file('sealed'))), identities))
    expect(plain.equals(bytes)).toBe(true)
  })
})
