import type { Redis } from '@signet/redis/client'

/** Knows which server process a connection leads to, so that a flushed or replaced server is never mistaken for a filled one. */
export interface ServerIdentity {
  /** The `run_id` of the server now connected; undefined while that is not known. */
  runId(): string | undefined
}

/** Asks `INFO server` whenever the connection becomes ready; between a loss and the answer nothing is known. */
export function watchServerIdentity(redis: Redis, onProblem: (error: unknown) => void): ServerIdentity {
  let current: string | undefined
  let connection = 0

  async function learn() {
    connection += 1
    const asked = connection
    current = undefined
    try {
      const runId = /^run_id:(\S+)/m.exec(await redis.info('server'))?.[1]
      if (asked === connection) current = runId
    } catch (error) {
      onProblem(error)
    }
  }
  const forget = () => {
    connection += 1
    current = undefined
  }

  redis.on('ready', () => void learn())
  redis.on('close', forget)
  if (redis.status === 'ready') void learn()
  return { runId: () => current }
}
