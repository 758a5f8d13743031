import { createHash } from 'node:crypto'
import type { Redis } from './connection.ts'

/** A script of Redis. Its keys have one hash tag where there are several. */
export interface Script {
  readonly text: string
  readonly sha1: string
}

export function createScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}

/**
 * Runs a script by its hash; its text is sent to a server that does not know it, and where the ACL of the previous release allows
 * EVAL only.
 */
export async function runScript(
  redis: Redis,
  { text, sha1 }: Script,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha1, keys.length, ...keys, ...values)
  } catch (error) {
    if (!(error instanceof Error && /^(NOSCRIPT|NOPERM)/.test(error.message))) throw error
    return redis.eval(text, keys.length, ...keys, ...values)
  }
}
