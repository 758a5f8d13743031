import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'

interface Patience {
  readonly pause: (milliseconds: number) => Promise<void>
  readonly stopping: () => boolean
}

const PAUSE_MS = 200

/**
 * Repeats a step for as long as the database is away. For claims that must be given back: nobody takes over what a
 * live worker holds. A worker that stops lets go of everything by falling silent.
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
