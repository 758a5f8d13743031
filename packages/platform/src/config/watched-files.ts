import { readFileSync } from 'node:fs'
import type { Logger } from '../logger/logger.ts'
import { type Repetition, repeat } from '../runtime/clock.ts'

type Texts<Name extends string> = Readonly<Record<Name, Buffer>>

/** Files of certificates and keys that are replaced while the process runs. */
export interface WatchedFiles<Name extends string> {
  /** The contents that were usable last. */
  readonly current: Texts<Name>
  /** Calls `listener` after each renewal, until the function that it returns is called. */
  onRenewal(listener: () => void): () => void
  /** Reads the files again every `everyMs`. */
  watch(logger: Logger, everyMs?: number): Repetition
}

/** Kubernetes changes the files of a Secret within a minute; certificates are renewed days before their end. */
const EVERY_MS = 10_000

/**
 * Reads these files. While they are watched, changed contents count as soon as `requireUsable` accepts them all together; until
 * then, as during an update, the ones before are kept. Throws when the files cannot be used at first.
 */
export function readWatchedFiles<Name extends string>(
  files: Readonly<Record<Name, string>>,
  requireUsable: (texts: Texts<Name>) => void,
): WatchedFiles<Name> {
  const names = Object.keys(files) as Name[]
  const read = () =>
    Object.fromEntries(names.map((name) => [name, readFileSync(files[name])])) as Record<Name, Buffer>
  let current: Texts<Name> = read()
  requireUsable(current)
  const listeners = new Set<() => void>()
  return {
    get current() {
      return current
    },
    onRenewal(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    watch(logger, everyMs = EVERY_MS) {
      let told = ''
      const round = async () => {
        const found = read()
        if (names.every((name) => found[name].equals(current[name]))) return
        requireUsable(found)
        current = found
        told = ''
        logger.info('certificates_renewed')
        for (const listener of listeners) listener()
      }
      return repeat(everyMs, round, (error) => {
        const { message } = error as Error
        if (told !== message) logger.warn('certificates_unusable', { error })
        told = message
      })
    },
  }
}
