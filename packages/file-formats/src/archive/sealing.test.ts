import { randomBytes } from 'node:crypto'
import { generateHybridIdentity, identityToRecipient } from 'age-encryption'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  newIdentity,
  opened,
  readIdentities,
  recipientsProblem,
  SealedArchiveError,
  sealed,
} from './sealing.ts'

let pair: Awaited<ReturnType<typeof newIdentity>>
let other: typeof pair
beforeAll(async () => {
  pair = await newIdentity()
  other = await newIdentity()
})

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function collected(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const open = (bytes: Buffer, identities: readonly string[], length = 50_000) =>
  collected(opened(pieces(bytes, length), identities))

describe('sealing', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 300_000])('opens %d bytes for each recipient', async (length) => {
    const bytes = randomBytes(length)
    const archive = await collected(sealed(pieces(bytes, 10_007), [pair.recipient, other.recipient]))
    expect(archive.subarray(0, 22).toString()).toBe('age-encryption.org/v1\n')
    for (const { identity } of [pair, other]) expect(await open(archive, [identity], 777)).toEqual(bytes)
  })

  it('refuses an identity that is no recipient', async () => {
    const archive = await collected(sealed(pieces(Buffer.from('document'), 3), [pair.recipient]))
    await expect(open(archive, [other.identity])).rejects.toThrow('sealed for other recipients')
    expect(await open(archive, [other.identity, pair.identity])).toEqual(Buffer.from('document'))
  })

  it('finds every changed byte and every missing end', async () => {
    const archive = await collected(sealed(pieces(randomBytes(70_000), 9_000), [pair.recipient]))
    const places = [0, 30, 60, 120, 170, 190, 210, 30_000, 65_800, archive.length - 1]
    for (const place of places) {
      const changed = Buffer.from(archive)
      changed[place] = (changed[place] ?? 0) ^ 1
      await expect(open(changed, [pair.identity]), String(place)).rejects.toThrow(SealedArchiveError)
    }
    for (const length of [10, 100, 200, 40_000, 65_900, archive.length - 1]) {
      await expect(open(archive.subarray(0, length), [pair.identity]), String(length)).rejects.toThrow(
        SealedArchiveError,
      )
    }
    await expect(open(Buffer.concat([archive, Buffer.from('x')]), [pair.identity])).rejects.toThrow(
      SealedArchiveError,
    )
  })

  it('passes on the failure of its source', async () => {
    const failure = new Error('cut')
    async function* failing(): AsyncGenerator<Buffer> {
      yield randomBytes(100_000)
      throw failure
    }
    await expect(collected(sealed(failing(), [pair.recipient]))).rejects.toBe(failure)
    const archive = await collected(sealed(pieces(randomBytes(200_000), 9_000), [pair.recipient]))
    async function* cut(): AsyncGenerator<Buffer> {
      yield archive.subarray(0, 100_000)
      throw failure
    }
    await expect(collected(opened(cut(), [pair.identity]))).rejects.toBe(failure)
  })

  it('seals and opens 100 MiB in little memory', async () => {
    const piece = randomBytes(1_048_576)
    async function* large(): AsyncGenerator<Buffer> {
      for (let count = 0; count < 100; count += 1) yield piece
    }
    const before = process.memoryUsage().rss
    let most = 0
    let bytes = 0
    for await (const chunk of opened(sealed(large(), [pair.recipient]), [pair.identity])) {
      bytes += chunk.length
      most = Math.max(most, process.memoryUsage().rss)
    }
    expect(bytes).toBe(100 * 1_048_576)
    expect(most - before).toBeLessThan(80_000_000)
  }, 120_000)

  it('opens a file of age 1.1.1', async () => {
    // age-keygen; printf 'a document\n' | age -r …
    const identity = 'AGE-SECRET-KEY-18GXQFJUWPR7C8PRWK5MD6HVJYS9CJN0TKGTJ7TDT9TGLMSQ40EPSYN4VN3'
    const archive = Buffer.from(
      'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBmTHNlZmN1bDZIRVl4MFdTNWh5SDRiT0F5SDJ3M0FLdGE4R1plRC9jVEQ0Cm82ODlrbVZwVXNmVGkyZ3lPK0tTTDNxTkovUXhIZVlxL2JkU01XUkEwRlkKLS0tIHpXRzY4bWJVdThuY1VOYk1OZjhuZWZJUVZ5YTIyZUtTTTc3VnNSSjh2aUUKz6PnLG8+dv4junIG8RA+Nohj1YfUPhIayRMNngWseRolGkJVryQn0Lhh4g==',
      'base64',
    )
    expect((await open(archive, [identity])).toString()).toBe('a document\n')
  })
})

describe('recipients', () => {
  it('takes public keys of age and no others', async () => {
    const hybrid = await identityToRecipient(await generateHybridIdentity())
    expect(await recipientsProblem([pair.recipient, other.recipient])).toBeUndefined()
    expect(await recipientsProblem([hybrid])).toBeUndefined()
    expect(await recipientsProblem([hybrid, pair.recipient])).toContain('must not mix')
    expect(await recipientsProblem([])).toContain('at least one')
    expect(await recipientsProblem(Array.from({ length: 21 }, () => pair.recipient))).toContain('at most 20')
    const wrong = pair.recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))
    for (const refused of [
      '',
      'password',
      wrong,
      pair.identity,
      'ssh-ed25519 AAAA',
      `age1${'q'.repeat(5_000)}`,
    ]) {
      expect(await recipientsProblem([pair.recipient, refused])).toContain('[1] must be a public key of age')
    }
  })
})

describe('identities', () => {
  it('reads the file of age-keygen and refuses others', async () => {
    const text = `# created: today\n# public key: ${pair.recipient}\n${pair.identity}\r\n\n${other.identity}\n`
    expect(await readIdentities(text)).toEqual([pair.identity, other.identity])
    for (const refused of [
      '',
      '# nothing',
      pair.recipient,
      `${pair.identity}\nsomething`,
      pair.identity.slice(0, -1),
    ]) {
      await expect(readIdentities(refused)).rejects.toThrow(SealedArchiveError)
    }
  })
})
