// Where things are, and how the commands talk to the person who typed them.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Top folder of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** Everything that the commands fetch or remember; deleting it costs one download. */
export const TOOLS = join(ROOT, '.tools')

/** Something the person can fix: printed as one line without a stack, exit code 1. */
export class Problem extends Error {}

/**
 * Progress goes to standard error: standard output belongs to the program that was asked for.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`signet: ${text}\n`)
}
