import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'

interface Patience {
  readonly pause: (milliseconds: number) => Promise<void>
  readonly stopping: () => boolean
}

const PAUSE_MS = 200

/**
 * Repeats a step while the database is away. For claims that must be given back, since other workers never
 * take over the claims of a live one. A stopping worker does not wait: its claims expire with its heartbeat.
 */
export async function untilDone(step: () => Promise<void>, { pause, stopping }: Patience): Promise<void> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof DependencyUnavailableError) || stopping()) throw error
      await pause(PAUSE_MS)
    }
  }
}
