import { hash as argon2Hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { describe, expect, it } from 'vitest'
import { BusyError } from './bounded-work.ts'
import { createPasswordHasher, DUMMY_HASH } from './password-hasher.ts'
import { parseStoredHash, UnusableHashError } from './stored-hash.ts'

const hasher = createPasswordHasher({ concurrency: 2, queueLimit: 20 })
const password = 'Correct-horse-9 é 🐎'

describe('password hasher', () => {
  it('makes argon2id hashes of the decided cost, salted', async () => {
    const [one, two] = await Promise.all([hasher.hashPassword(password), hasher.hashPassword(password)])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(one).not.toBe(two)
    expect(await hasher.verifyPassword(one, password)).toEqual({ matches: true, needsRehash: false })
    expect(await hasher.verifyPassword(one, `${password} `)).toEqual({ matches: false, needsRehash: false })
  })

  it('accepts any length and any character', async () => {
    for (const odd of ['', 'x'.repeat(5000), 'zero\0byte']) {
      const hash = await hasher.hashPassword(odd)
      expect(await hasher.verifyPassword(hash, odd)).toMatchObject({ matches: true })
      expect(await hasher.verifyPassword(hash, `${odd}x`)).toMatchObject({ matches: false })
    }
  })

  it.each(['2a', '2b', '2y'] as const)('verifies bcrypt %s and asks for a better hash', async (version) => {
    const hash = await bcryptHash(password, { cost: 4, version })
    expect(await hasher.verifyPassword(hash, password)).toEqual({ matches: true, needsRehash: true })
    expect(await hasher.verifyPassword(hash, 'wrong')).toEqual({ matches: false, needsRehash: false })
  })

  it('asks for a better hash only where it is weaker', async () => {
    const weak = await argon2Hash(password, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    const strong = await argon2Hash(password, { memoryCost: 20_000, timeCost: 3, parallelism: 2 })
    expect(await hasher.verifyPassword(weak, password)).toEqual({ matches: true, needsRehash: true })
    expect(await hasher.verifyPassword(strong, password)).toEqual({ matches: true, needsRehash: false })
  })

  it('F-42: a hostile hash is refused without being run', async () => {
    const hostile = DUMMY_HASH.replace('m=19456', 'm=67108864')
    const before = process.resourceUsage().maxRSS
    await expect(hasher.verifyPassword(hostile, password)).rejects.toThrow(UnusableHashError)
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100_000)
  })

  it('F-32: the hash of nobody costs what that of somebody costs, and matches nothing', async () => {
    expect(parseStoredHash(DUMMY_HASH)).toEqual(parseStoredHash(await hasher.hashPassword(password)))
    expect(await hasher.verifyPassword(DUMMY_HASH, '')).toEqual({ matches: false, needsRehash: false })
  })

  it('leaves the event loop free while it works', async () => {
    let turns = 0
    const counting = setInterval(() => (turns += 1), 1)
    await Promise.all(Array.from({ length: 8 }, () => hasher.verifyPassword(DUMMY_HASH, password)))
    clearInterval(counting)
    expect(turns).toBeGreaterThan(10)
  })

  it('is busy beyond its queue and recovers', async () => {
    const small = createPasswordHasher({ concurrency: 1, queueLimit: 1 })
    const tries = await Promise.allSettled([1, 2, 3].map(() => small.verifyPassword(DUMMY_HASH, password)))
    expect(tries.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(tries[2]).toMatchObject({ reason: expect.any(BusyError) })
    await expect(small.verifyPassword(DUMMY_HASH, password)).resolves.toMatchObject({ matches: false })
  })
})
