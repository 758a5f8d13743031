import { type DestinationStream, destination } from 'pino'

/** Of text that is handed on at once. */
const PIECE = 4_096

/**
 * Writes lines to standard error a few milliseconds later, many at once: a write for each would cost a request a
 * third of its time. Waiting lines are written when the process exits.
 */
export function standardError(): DestinationStream {
  const file = destination({ dest: 2, sync: false, minLength: 8_192, periodicFlush: 100 })
  let lines = ''
  const handOn = () => {
    const handed = lines
    lines = ''
    if (handed !== '') file.write(handed)
  }
  // Before the listener of `file`, which writes what it was handed until then.
  process.prependListener('exit', handOn)
  return {
    write(line) {
      // All lines at once: at each write, `file` counts the bytes of everything that waits.
      if (lines === '') setImmediate(handOn)
      lines += line
      if (lines.length >= PIECE) handOn()
    },
  }
}
