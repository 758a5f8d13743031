import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@signet/platform/logger/logger'
import { StartFailure } from '@signet/platform/process/start-failure'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import type { ResourceCheck } from './resources.ts'

interface StartWhenUsableOptions<T> {
  readonly resources: readonly ResourceCheck[]
  readonly waitingFor: (names: readonly string[]) => void
  readonly start: () => Promise<T>
  readonly logger: Logger
  readonly aborted: AbortSignal
}

const RETRY_MS = 250

/**
 * Waits until every resource can be used, then starts. A start that fails is tried again if a dependency was away or
 * overloaded; else it fails. Rejects when aborted, and with a StartFailure for what waiting cannot cure.
 */
export async function startWhenUsable<T>(options: StartWhenUsableOptions<T>): Promise<T> {
  const { resources, waitingFor, start, logger, aborted } = options
  const told = new Map<string, string>()
  for (;;) {
    aborted.throwIfAborted()
    const missing = await unusable(resources, (name, error) => {
      const { message } = error
      if (told.get(name) !== message) logger.warn('waiting_for', { dependency: name, error })
      told.set(name, message)
    })
    waitingFor(missing)
    if (missing.length === 0) {
      try {
        return await start()
      } catch (error) {
        const passes = error instanceof DependencyUnavailableError
        if (!passes && (await unusable(resources, () => undefined)).length === 0) throw error
        logger.warn('start_failed', { error })
      }
    }
    await pause(RETRY_MS, undefined, { signal: aborted })
  }
}

async function unusable(
  resources: readonly ResourceCheck[],
  onProblem: (name: string, error: Error) => void,
): Promise<readonly string[]> {
  const answers = await Promise.allSettled(resources.map((resource) => resource.usable()))
  return answers.flatMap((answer, index) => {
    if (answer.status === 'fulfilled') return []
    if (answer.reason instanceof StartFailure) throw answer.reason
    const name = resources[index]?.name ?? ''
    onProblem(name, answer.reason instanceof Error ? answer.reason : new Error(String(answer.reason)))
    return [name]
  })
}
