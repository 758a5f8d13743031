import { createHash, createHmac } from 'node:crypto'
import { setInterval } from 'node:timers/promises'
import { hash as argon2Hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { FOREIGN_PASSWORD, FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import { describe, expect, it } from 'vitest'
import { BusyError, boundedWork, createPasswordHasher, DUMMY_HASH } from './password-hasher.ts'
import { readStoredHash, UnusableHashError } from './stored-hash.ts'

// On a busy machine one hash takes more than a second.
const waitMs = 60_000
const hasher = createPasswordHasher({ concurrency: 2, queueLimit: 20, waitMs })
const password = 'Correct-horse-9 é 🐎'

describe('password hasher', () => {
  it('makes argon2id hashes of the decided cost, salted', async () => {
    const [one, two] = await Promise.all([hasher.hashPassword(password), hasher.hashPassword(password)])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(one).not.toBe(two)
    expect(await hasher.verifyPassword(one, password)).toEqual({ matches: true, isOutdated: false })
    expect(await hasher.verifyPassword(one, `${password} `)).toEqual({ matches: false, isOutdated: false })
  })

  it('accepts any length and any character', async () => {
    for (const odd of ['', 'x'.repeat(5000), 'zero\0byte']) {
      const hash = await hasher.hashPassword(odd)
      expect(await hasher.verifyPassword(hash, odd)).toMatchObject({ matches: true })
      expect(await hasher.verifyPassword(hash, `${odd}x`)).toMatchObject({ matches: false })
    }
  })

  it.each(Object.entries(FOREIGN_PASSWORD_HASHES))('verifies %s made by another program', async (_, hash) => {
    expect(await hasher.verifyPassword(hash, FOREIGN_PASSWORD)).toEqual({ matches: true, isOutdated: true })
    for (const wrong of ['', FOREIGN_PASSWORD.slice(1)]) {
      expect(await hasher.verifyPassword(hash, wrong)).toEqual({ matches: false, isOutdated: true })
    }
  })

  it('reads a password before Better Auth hashes it in NFKC', async () => {
    // hashlib.scrypt(b'office', salt=s.hex(), n=16384, r=16, p=1, dklen=64) of Python 3.11, s = b'0123456789abcdef'
    const hash =
      '30313233343536373839616263646566:99ff549e9af5f2a6ba6a00f5b87e6981ad57e267c4a519eaaa035133ffac02fe46f04c180030e1ba32e11be1db9ca040f688a922c8fb735fcb6168e508423346'
    expect(await hasher.verifyPassword(hash, 'o\ufb03ce')).toMatchObject({ matches: true })
  })

  it('digests no password of more than 4,096 bytes [F-42]', async () => {
    const md5 = (text: string) => createHash('md5').update(text).digest('hex')
    const hmac = (text: string) =>
      Buffer.from(createHmac('md5', 'key').update(text).digest('hex')).toString('base64')
    const bcrypt = async (text: string) => {
      const key = createHmac('sha384', 'wp-sha384').update(text).digest('base64')
      return bcryptHash(key, { cost: 4, version: '2y' })
    }
    for (const [text, matches] of [
      ['x'.repeat(4096), true],
      ['x'.repeat(4097), false],
    ] as const) {
      for (const hash of [md5(text), `$hmac-md5$${hmac(text)}$a2V5`, `$wp${await bcrypt(text)}`]) {
        expect(await hasher.verifyPassword(hash, text)).toMatchObject({ matches })
      }
    }
  })

  it('bcrypt looks at 72 bytes, as in every other program', async () => {
    for (const version of ['2a', '2b', '2y'] as const) {
      const hash = await bcryptHash('x'.repeat(80), { cost: 4, version })
      for (const [length, matches] of [
        [71, false],
        [72, true],
        [99, true],
      ] as const) {
        expect(await hasher.verifyPassword(hash, 'x'.repeat(length))).toMatchObject({ matches })
      }
    }
  })

  it('verifies bcrypt hashes with random unused bits', async () => {
    const hash = await bcryptHash(password, { cost: 4 })
    const stray = (character: string) => String.fromCharCode(character.charCodeAt(0) + 1)
    const last = hash.length - 1
    for (const changed of [
      hash.replace(/^(.{28})(.)/, (_, start, end) => start + (end === '.' ? '/' : stray(end))),
      hash.slice(0, last) + stray(hash.charAt(last)),
    ]) {
      expect(changed).not.toBe(hash)
      expect(await hasher.verifyPassword(changed, password)).toMatchObject({ matches: true })
      expect(await hasher.verifyPassword(changed, 'wrong')).toMatchObject({ matches: false })
    }
  })

  it('a long password does not multiply the rounds of a slow hash [F-42]', async () => {
    const hash = '$6$rounds=1000000$salt$'.padEnd(86 + 23, 'x')
    expect(await hasher.verifyPassword(hash, 'x'.repeat(1_000_000))).toEqual({
      matches: false,
      isOutdated: true,
    })
  })

  it('requests a better hash only for a weaker one', async () => {
    const weak = await argon2Hash(password, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    const strong = await argon2Hash(password, { memoryCost: 20_000, timeCost: 3, parallelism: 2 })
    expect(await hasher.verifyPassword(weak, password)).toEqual({ matches: true, isOutdated: true })
    expect(await hasher.verifyPassword(strong, password)).toEqual({ matches: true, isOutdated: false })
  })

  it.each([
    ['an argon2id hash of the composed form', 'made here'],
    ['a bcrypt hash of the decomposed form', 'made elsewhere'],
  ])('a password that is typed decomposed matches %s', async (_, origin) => {
    const [nfc, nfd] = ['Crème-brûlée-9'.normalize('NFC'), 'Crème-brûlée-9'.normalize('NFD')]
    const hash = origin === 'made here' ? await hasher.hashPassword(nfd) : await bcryptHash(nfd, { cost: 4 })
    expect(await hasher.verifyPassword(hash, nfd)).toMatchObject({ matches: true })
    expect(await hasher.verifyPassword(hash, nfc)).toMatchObject({ matches: origin === 'made here' })
    expect(await hasher.verifyPassword(hash, `${nfd}x`)).toMatchObject({ matches: false })
    const again = await hasher.rehashPassword(nfd)
    expect(await hasher.verifyPassword(again, nfc)).toEqual({ matches: true, isOutdated: false })
  })

  it('requests a hash of the composed form where the typed one matched', async () => {
    const nfd = 'Crème-brûlée-9'.normalize('NFD')
    const hash = await argon2Hash(nfd, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
    expect(await hasher.verifyPassword(hash, nfd)).toEqual({ matches: true, isOutdated: true })
    expect(await hasher.verifyPassword(hash, `${nfd}x`)).toEqual({ matches: false, isOutdated: false })
  })

  it('slow hashes of other programs keep no place from the others', async () => {
    const small = createPasswordHasher({ concurrency: 1, queueLimit: 2, waitMs })
    const slow = await bcryptHash(password, { cost: 13 })
    const order: string[] = []
    const tries = [1, 2, 3].map(() => small.verifyPassword(slow, 'wrong').then(() => order.push('slow')))
    await expect(small.verifyPassword(slow, 'wrong')).rejects.toThrow(BusyError)
    await small.verifyPassword(DUMMY_HASH, password).then(() => order.push('quick'))
    await small.verifyPassword(DUMMY_HASH, password).then(() => order.push('quick'))
    await Promise.all(tries)
    expect(order.slice(-2)).toEqual(['slow', 'slow'])
  })

  it('a hostile hash is refused without being run [F-42]', async () => {
    const hostile = DUMMY_HASH.replace('m=19456', 'm=67108864')
    const before = process.resourceUsage().maxRSS
    await expect(hasher.verifyPassword(hostile, password)).rejects.toThrow(UnusableHashError)
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100_000)
  })

  it('the dummy hash takes as long to verify as a real one and never matches [F-32]', async () => {
    const { parameters } = readStoredHash(await hasher.hashPassword(password))
    expect(readStoredHash(DUMMY_HASH)).toMatchObject({ format: 'argon2id', parameters })
    expect(await hasher.verifyPassword(DUMMY_HASH, '')).toEqual({ matches: false, isOutdated: false })
  })

  it('leaves the event loop free while it works', async () => {
    let turns = 0
    const counting = globalThis.setInterval(() => (turns += 1), 1)
    await Promise.all(Array.from({ length: 8 }, () => hasher.verifyPassword(DUMMY_HASH, password)))
    clearInterval(counting)
    expect(turns).toBeGreaterThan(10)
  })

  it('hashes that take much memory are verified one at a time [F-42]', async () => {
    const large = DUMMY_HASH.replace('m=19456,t=2', 'm=131072,t=1')
    const before = process.resourceUsage().maxRSS
    await Promise.all([1, 2, 3, 4].map(() => hasher.verifyPassword(large, password)))
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(2 * 131_072)
  })

  it('leaves the event loop free while threads compute rounds', async () => {
    const hash = '$6$rounds=50000$salt$'.padEnd(86 + 21, 'x')
    let turns = 0
    const counting = globalThis.setInterval(() => (turns += 1), 1)
    await Promise.all([1, 2, 3].map(() => hasher.verifyPassword(hash, password)))
    clearInterval(counting)
    expect(turns).toBeGreaterThan(10)
  })

  it('lets a caller measure a check without the time that it waits', async () => {
    const one = createPasswordHasher({ concurrency: 1, queueLimit: 1, waitMs })
    const order: string[] = []
    const around = (name: string) => async (check: () => Promise<boolean>) => {
      order.push(`${name} begins`)
      const matches = await check()
      order.push(`${name} ends`)
      return matches
    }
    const names = ['first', 'second']
    await Promise.all(names.map((name) => one.verifyPassword(DUMMY_HASH, 'wrong', around(name))))
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  })

  it('refuses at once what would wait too long while more arrives than it can hash, and hashes the rest in order', async () => {
    const mostMs = 400
    const small = createPasswordHasher({ concurrency: 1, queueLimit: 10_000, waitMs: mostMs })
    const times: number[] = []
    while (times.length < 5) {
      const begun = performance.now()
      await small.verifyPassword(DUMMY_HASH, password)
      times.push(performance.now() - begun)
    }
    const hashMs = Math.max(...times)
    // The fastest one: other work of the machine slows single ones.
    const everyMs = Math.min(...times) / 4
    const order: number[] = []
    const waits: Record<'hashed' | 'refused', number[]> = { hashed: [], refused: [] }
    const one = async (at: number) => {
      const arrived = performance.now()
      let waited = 0
      const around = (check: () => Promise<boolean>) => {
        order.push(at)
        waited = performance.now() - arrived
        return check()
      }
      await small.verifyPassword(DUMMY_HASH, password, around).then(
        () => waits.hashed.push(waited),
        (error) => {
          expect(error).toBeInstanceOf(BusyError)
          waits.refused.push(performance.now() - arrived)
        },
      )
    }
    const all: Promise<void>[] = []
    for await (const _ of setInterval(everyMs)) {
      all.push(one(all.length))
      const fewest = Math.min(waits.hashed.length, waits.refused.length)
      if (all.length > 5_000 || (all.length > 200 && fewest > 10)) break
    }
    await Promise.all(all)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(Math.max(...waits.hashed)).toBeLessThanOrEqual(mostMs + 5 * hashMs)
    expect(waits.hashed.length).toBeGreaterThan(10)
    expect(waits.refused.length).toBeGreaterThan(10)
    // Those that are refused learn it at once, but for the few that waited behind hashes that took longer than the mean.
    const atOnce = waits.refused.filter((ms) => ms < mostMs / 4)
    expect(atOnce.length).toBeGreaterThan(waits.refused.length / 2)
    expect(await small.verifyPassword(DUMMY_HASH, password)).toMatchObject({ matches: false })
  })

  it('is busy beyond its queue and recovers', async () => {
    const small = createPasswordHasher({ concurrency: 1, queueLimit: 1, waitMs })
    const trying = Promise.allSettled([1, 2, 3].map(() => small.verifyPassword(DUMMY_HASH, password)))
    expect(small.use()).toEqual({ running: 1, waiting: 1, refused: 1 })
    const tries = await trying
    expect(tries.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(tries[2]).toMatchObject({ reason: expect.any(BusyError) })
    await expect(small.verifyPassword(DUMMY_HASH, password)).resolves.toMatchObject({ matches: false })
  })
})

function gatedTask() {
  const gate = Promise.withResolvers<void>()
  return { run: () => gate.promise, open: () => gate.resolve(), fail: () => gate.reject(new Error('failed')) }
}

describe('bounded work', () => {
  it('runs no more at a time than allowed, in the order of arrival, and refuses work that would wait too long', async () => {
    const { run: bounded } = boundedWork({ concurrency: 1, queueLimit: 1, waitMs: 60_000 })
    const [first, second] = [gatedTask(), gatedTask()]
    const order: string[] = []
    const firstDone = bounded(first.run).then(() => order.push('first'))
    const secondDone = bounded(() => {
      order.push('second begins')
      return second.run()
    })
    await expect(bounded(async () => 'third')).rejects.toThrow(BusyError)
    expect(order).toEqual([])
    first.open()
    await firstDone
    second.open()
    await secondDone
    expect(order.toSorted()).toEqual(['first', 'second begins'])
    await expect(bounded(async () => 'free again')).resolves.toBe('free again')
  })

  it('a failure frees its place', async () => {
    const { run: bounded } = boundedWork({ concurrency: 1, queueLimit: 0, waitMs: 60_000 })
    for (const _ of [1, 2, 3])
      await expect(bounded(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    await expect(bounded(async () => 'free')).resolves.toBe('free')
  })

  it('never exceeds its bound under load', async () => {
    const { run, runNext } = boundedWork({ concurrency: 3, queueLimit: 100, waitMs: 60_000 })
    let running = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        (at % 2 === 0 ? run : runNext)(async () => {
          most = Math.max(most, ++running)
          await new Promise(setImmediate)
          running -= 1
        }),
      ),
    )
    expect([running, most]).toEqual([0, 3])
  })

  it('refuses work that has waited too long, and runs the others', async () => {
    const { run } = boundedWork({ concurrency: 1, queueLimit: 10, waitMs: 20 })
    const first = gatedTask()
    const firstDone = run(first.run)
    let began = false
    const late = run(async () => {
      began = true
    })
    await expect(late).rejects.toThrow(BusyError)
    const inTime = run(async () => 'in time')
    first.open()
    await firstDone
    await expect(inTime).resolves.toBe('in time')
    expect(began).toBe(false)
  })

  it('refuses at once work that would wait too long behind what waits, by the mean of the tasks before', async () => {
    let time = 0
    const { run } = boundedWork({ concurrency: 2, queueLimit: 100, waitMs: 1_000, elapsed: () => time })
    await run(async () => {
      time += 500
    })
    const gate = gatedTask()
    // Two run and four wait: in two places the last of these begins after a second.
    const all = Array.from({ length: 6 }, () => run(gate.run))
    await expect(run(gate.run)).rejects.toThrow(BusyError)
    gate.open()
    await Promise.all(all)
    for (const _ of Array(40)) await run(async () => 'quick')
    const quick = Array.from({ length: 20 }, () => run(async () => 'quick'))
    expect(await Promise.all(quick)).toHaveLength(20)
  })

  it('continued work is next, even when no other work may wait', async () => {
    const { run, runNext } = boundedWork({ concurrency: 1, queueLimit: 1, waitMs: 60_000 })
    const first = gatedTask()
    const order: string[] = []
    const all = [
      run(first.run),
      run(async () => order.push('waited')),
      runNext(async () => order.push('went on')),
    ]
    first.open()
    await Promise.all(all)
    expect(order).toEqual(['went on', 'waited'])
  })
})
