import type { ServerResponse } from 'node:http'

const TASKS = Symbol('signet tasks when over')

interface TaskCarrier {
  [TASKS]?: (() => void)[]
}

/**
 * Calls `task` once: when the answer was handed on, or its connection is gone. However many tasks an answer has, it has
 * one listener; each would take a busy server longer than what it then does.
 */
export function whenOver(res: ServerResponse & TaskCarrier, task: () => void): void {
  const waiting = res[TASKS]
  if (waiting !== undefined) {
    waiting.push(task)
    return
  }
  const tasks = [task]
  res[TASKS] = tasks
  res.on('close', () => {
    for (const each of tasks) each()
  })
}
