import { hash as argon2Hash } from '@node-rs/argon2'
import { ARGON2ID_COST } from './formats/formats.ts'
import { createRoundsWorkers } from './rounds/rounds-workers.ts'
import { readStoredHash } from './stored-hash.ts'

/**
 * Verify against this when there is no account, so that an unknown login name takes as long as a wrong password. Made
 * from 32 random bytes that were discarded.
 */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$sdor9EujruuscVN/ikAgsA$FTOCEa/R9IsdJKPf9YHnDiMp4WNNo+u+Gnlji3/hdb4'

export interface PasswordVerdict {
  readonly matches: boolean
  /** The hash is weaker than, or of another kind than, what `hashPassword` makes: if it matches, hash again now. */
  readonly isOutdated: boolean
}

/** Runs a check of a password, for example to measure it without the time that it waited. */
export type AroundCheck = (check: () => Promise<boolean>) => Promise<boolean>

export interface PasswordHasher {
  /** An argon2id PHC string, of the password in NFC. Rejects with `BusyError` when too much work is waiting. */
  hashPassword(password: string): Promise<string>
  /** The same before everything that waits, for a password that was just verified: else overload keeps slow hashes. */
  rehashPassword(password: string): Promise<string>
  /**
   * Checks the password in NFC, then as it was typed, against any supported hash. Rejects with `UnusableHashError` before running a hostile or unknown one and
   * with `BusyError` when too much work is waiting. `around` runs each of the checks once it may begin.
   */
  verifyPassword(hash: string, password: string, around?: AroundCheck): Promise<PasswordVerdict>
  use(): WorkUse
}

interface HasherOptions {
  /** Hashes at the same time; each takes one thread and 19 MiB, that of another program up to 64 MiB. One slow one more. */
  readonly concurrency: number
  readonly queueLimit: number
  /** Work that would begin later than this is refused at once. */
  readonly waitMs?: number
}

/** Limit of waiting. A person who waits longer thinks that the page is broken and sends the form again. */
const WAIT_MS = 2_000

/**
 * Hashes that take more than one of these run one at a time, beside all others, so that they take no place from them.
 */
const SLOW_MS = 250
/** Memory above which hashes run one at a time, so that memory stays bounded: 512 MiB and the memory of the others. */
const LARGE_KIB = 65_536

/** Hashes and verifies off the event loop, all calls of one hasher within one bound. */
export function createPasswordHasher({ waitMs = WAIT_MS, ...bounds }: HasherOptions): PasswordHasher {
  const work = boundedWork({ ...bounds, waitMs })
  const slowWork = boundedWork({ ...bounds, waitMs, concurrency: 1 })
  const computeDigest = createRoundsWorkers()
  return {
    use() {
      const slow = slowWork.use()
      const { running, waiting, refused } = work.use()
      return {
        running: running + slow.running,
        waiting: waiting + slow.waiting,
        refused: refused + slow.refused,
      }
    },
    hashPassword: (password) => work.run(() => argon2id(composed(password))),
    rehashPassword: (password) => work.runNext(() => argon2id(composed(password))),
    async verifyPassword(hash, password, around = (check) => check()) {
      const stored = readStoredHash(hash)
      const isSlow = stored.estimatedMs > SLOW_MS || stored.memoryKib > LARGE_KIB
      const verify = (text: string) =>
        (isSlow ? slowWork : work).run(() => around(() => stored.verify(text, computeDigest)))
      if (await verify(composed(password))) return { matches: true, isOutdated: stored.isOutdated }
      if (composed(password) === password) return { matches: false, isOutdated: stored.isOutdated }
      // Created by a program that does not compose Unicode: a matching password is hashed again in the composed form.
      const matches = await verify(password)
      return { matches, isOutdated: matches || stored.isOutdated }
    },
  }
}

/** RFC 8265 section 4.2.1: keyboards differ in how they compose a letter, and the person sees no difference. */
function composed(password: string): string {
  return password.normalize('NFC')
}

function argon2id(password: string): Promise<string> {
  return argon2Hash(password, {
    memoryCost: ARGON2ID_COST.memoryKib,
    timeCost: ARGON2ID_COST.passes,
    parallelism: ARGON2ID_COST.lanes,
  })
}

/** More work is waiting than will be done in a useful time; try again later. */
export class BusyError extends Error {
  override readonly name = 'BusyError'
}

interface Bounds {
  readonly concurrency: number
  readonly queueLimit: number
  /** Work that would begin later than this is refused at once, and work that has not begun by then is refused then. */
  readonly waitMs: number
  /** Milliseconds of a clock that only rises. */
  readonly elapsed?: () => number
}

export interface BoundedWork {
  use(): WorkUse
  /**
   * Runs a task in the order of arrival. Rejects with BusyError at once when too many wait already, or when those that
   * wait will take longer than `waitMs`; and later when it has waited for `waitMs`.
   */
  run<T>(task: () => Promise<T>): Promise<T>
  /**
   * Runs a task as soon as a place is free, before everything that waits: the second half of work whose first half
   * was done.
   */
  runNext<T>(task: () => Promise<T>): Promise<T>
}

/** Work that runs and waits now, and that was refused since the start. */
export interface WorkUse {
  readonly running: number
  readonly waiting: number
  readonly refused: number
}

/** Weight of the last task in the mean duration: about ten tasks decide. */
const NEWEST = 0.1

/** Runs at most `concurrency` tasks at a time. */
export function boundedWork({
  concurrency,
  queueLimit,
  waitMs,
  elapsed = () => performance.now(),
}: Bounds): BoundedWork {
  const waiting: (() => void)[] = []
  let running = 0
  let refused = 0
  /** Mean duration of the last tasks. 0: none has ended yet. */
  let taskMs = 0

  /** Counts what runs like one more that waits, so that most of what is accepted begins in time. */
  const isFull = () =>
    waiting.length >= queueLimit ||
    (waiting.length > 0 && ((waiting.length + 1) * taskMs) / concurrency > waitMs)

  function refuse(): BusyError {
    refused += 1
    return new BusyError('too many passwords are being checked')
  }

  async function perform<T>(task: () => Promise<T>): Promise<T> {
    const begun = elapsed()
    try {
      return await task()
    } finally {
      const lastMs = elapsed() - begun
      taskMs = taskMs === 0 ? lastMs : taskMs + (lastMs - taskMs) * NEWEST
      // Finished work passes its place on, so a newcomer cannot take it in between.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  function waitForPlace(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1)
        reject(refuse())
      }, waitMs)
      waiting.push(begin)
    })
  }

  return {
    use: () => ({ running, waiting: waiting.length, refused }),
    async run(task) {
      if (running < concurrency) running += 1
      else if (isFull()) throw refuse()
      else await waitForPlace()
      return perform(task)
    },
    async runNext(task) {
      if (running < concurrency) running += 1
      else await new Promise<void>((resolve) => waiting.unshift(resolve))
      return perform(task)
    },
  }
}
