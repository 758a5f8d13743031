import { write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

const STANDARD_ERROR = 2
const INTERVAL_MS = 100
/** Limit of the text that waits for the interval; more is written at once. */
const BATCH_LENGTH = 8_192
/** The line that reaches it is the last of a write: one that an exit finds under way should be over before those of the exit. */
const MOST_WRITTEN = 2 * BATCH_LENGTH
/** Lines that come while so much text waits are dropped: a reader that stops must not fill the memory. */
const MOST_WAITING = 16 * 1_024 * 1_024
/** Tries at the exit while a reader is slow, 10 ms apart. */
const LAST_TRIES = 100

let shared: DestinationStream | undefined

/**
 * Writes lines to standard error within 100 ms, many at once: a write for each would cost a request a third of its time.
 * Waiting lines are written when the process exits. Lines that cannot be written, because the reader is gone or a disk is
 * full, are dropped: they keep no process from ending, as pino's own destination does.
 */
export function standardError(): DestinationStream {
  shared ??= openStandardError()
  return shared
}

function openStandardError(): DestinationStream {
  const waiting: string[] = []
  let waitingLength = 0
  /** The bytes that a full pipe refused, until they are tried again. */
  let refused = Buffer.alloc(0)
  let isWriting = false
  let timer: NodeJS.Timeout | undefined
  /** The timer is that of a full batch. */
  let isSoon = false

  function writeWaiting(): void {
    timer = undefined
    let [count, length] = [0, 0]
    for (; length < MOST_WRITTEN && count < waiting.length; count += 1) length += waiting[count]?.length ?? 0
    waitingLength -= length
    isWriting = true
    writeRest(Buffer.from(waiting.splice(0, count).join('')))
  }

  function writeRest(rest: Buffer<ArrayBuffer>): void {
    refused = Buffer.alloc(0)
    write(STANDARD_ERROR, rest, (error, written) => {
      if (isBusy(error)) {
        refused = rest
        setTimeout(() => writeRest(rest), INTERVAL_MS).unref()
      } else if (error === null && written < rest.length) writeRest(rest.subarray(written))
      else {
        isWriting = false
        if (waiting.length > 0) schedule()
      }
    })
  }

  function schedule(): void {
    const isFull = waitingLength >= BATCH_LENGTH
    if (isWriting || (timer !== undefined && (isSoon || !isFull))) return
    clearTimeout(timer)
    isSoon = isFull
    timer = setTimeout(writeWaiting, isFull ? 0 : INTERVAL_MS).unref()
  }

  process.on('exit', () => writeLast(Buffer.concat([refused, Buffer.from(waiting.join(''))])))
  return {
    write(line) {
      if (waitingLength > MOST_WAITING) return
      waiting.push(line)
      waitingLength += line.length
      schedule()
    },
  }
}

function writeLast(lines: Buffer): void {
  let [rest, tries] = [lines, LAST_TRIES]
  while (rest.length > 0 && tries > 0) {
    try {
      rest = rest.subarray(writeSync(STANDARD_ERROR, rest))
    } catch (error) {
      if (!isBusy(error)) return
      tries -= 1
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/** A pipe that does not block is full. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}
