import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from '@signet/platform/logger/logger'
import type { GetText } from '@signet/platform/outbound-http/http-calls'

/** Whether the password, in NFC, is in a list of passwords from breaches; undefined also when the list cannot be read. */
export type FindBreach = (password: string) => Promise<'password_breached' | undefined>

interface Options {
  /** A server of the range protocol, a file, or undefined for no list. */
  readonly url: string | undefined
  readonly getText: GetText
  readonly logger: Logger
  /** Called after each check. */
  readonly count: (outcome: 'found' | 'not_found' | 'failed') => void
}

/**
 * Looks passwords up in a list of SHA-1 hashes. A server learns the first five hexadecimal digits of the hash only
 * (k-anonymity, the range protocol of Have I Been Pwned), a file is searched on the disk. Without an answer the password
 * is accepted: people must not be locked out by a list that is away.
 */
export function createBreachCheck({ url, getText, logger, count }: Options): FindBreach {
  if (url === undefined) return async () => undefined
  const isListed = url.startsWith('file:')
    ? createFileLookup(fileURLToPath(url))
    : createServerLookup(url, getText)
  return async (password) => {
    const hash = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase()
    try {
      const found = await isListed(hash)
      count(found ? 'found' : 'not_found')
      return found ? 'password_breached' : undefined
    } catch (error) {
      count('failed')
      logger.warn('breached_passwords_unavailable', { error })
      return undefined
    }
  }
}

type IsListed = (hash: string) => Promise<boolean>

const PREFIX_DIGITS = 5

function createServerLookup(url: string, getText: GetText): IsListed {
  const base = url.replace(/\/$/, '')
  return async (hash) => {
    const { status, text } = await getText(`${base}/${hash.slice(0, PREFIX_DIGITS)}`, {
      // All responses then have about the same length.
      'Add-Padding': 'true',
    })
    if (status !== 200) throw new Error(`the list of breached passwords answered ${status}`)
    const suffix = hash.slice(PREFIX_DIGITS)
    return text.split(/\r?\n/).some((line) => {
      const [listed, times] = line.split(':')
      // Padding has the count 0.
      return listed?.toUpperCase() === suffix && Number(times) !== 0
    })
  }
}

/** Longer than two lines of hash, colon, count and line end. */
const WINDOW_BYTES = 160

/** A file of lines `HASH` or `HASH:count` in ascending order. Opened for each check, so that it may be replaced. */
function createFileLookup(path: string): IsListed {
  return async (hash) => {
    const file = await open(path)
    try {
      const window = Buffer.alloc(WINDOW_BYTES)
      let [low, high] = [0, (await file.stat()).size]
      // The line of the hash begins at `low` or behind it, and before `high`.
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        const from = Math.max(0, middle - 1)
        const { bytesRead } = await file.read(window, 0, WINDOW_BYTES, from)
        const read = window.toString('latin1', 0, bytesRead)
        // A line begins at `middle` only behind a line end.
        const start = middle === 0 ? 0 : read.indexOf('\n') + 1
        const line = /^([0-9A-Fa-f]{40})(?::\d+)?\r?(?:\n|$)/.exec(read.slice(start))
        const begins = from + start
        if ((start === 0 && middle > 0) || begins >= high || read.length === start) {
          high = middle
          continue
        }
        const listed = line?.[1]?.toUpperCase()
        if (listed === undefined) throw new Error(`${path} has no SHA-1 hash at byte ${begins}`)
        if (listed === hash) return true
        if (listed < hash) low = begins + (line?.[0].length ?? 0)
        else high = middle
      }
      return false
    } finally {
      await file.close()
    }
  }
}
