import type { Logger } from '@signet/platform/logger/logger'

export interface FeedPoller {
  /** Polls after the running poll. Rejects when it fails. */
  poll(): Promise<void>
  /** Ends the timer and waits for a running poll. */
  stop(): Promise<void>
}

interface FeedPollerOptions {
  readonly poll: () => Promise<void>
  readonly intervalMs: number
  readonly logger: Logger
}

/** Polls at once and then `intervalMs` after each poll ended. An outage is logged when it begins and when it ends. */
export function startFeedPoller({ poll, intervalMs, logger }: FeedPollerOptions): FeedPoller {
  let stopped = false
  let failing = false
  let timer: NodeJS.Timeout | undefined
  let last: Promise<void> = Promise.resolve()

  // One at a time: two looks in flight could apply their findings in the wrong order.
  function next(): Promise<void> {
    last = last.catch(() => undefined).then(poll)
    return last
  }

  async function tick(): Promise<void> {
    try {
      await next()
      if (failing) logger.info('directory_feed_recovered')
      failing = false
    } catch (error) {
      if (!failing && !stopped) logger.warn('directory_feed_failed', { error })
      failing = true
    }
    if (!stopped) timer = setTimeout(() => void tick(), intervalMs)
  }

  void tick()
  return {
    poll: next,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await last.catch(() => undefined)
    },
  }
}
