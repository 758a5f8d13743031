import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Collects garbage, and returns how many bytes are still held. */
export function collectGarbage(): number {
  collect()
  return process.memoryUsage().heapUsed
}
