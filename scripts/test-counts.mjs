// @ts-check
// Counts the tests of a run from the summaries of turbo and the reports of vitest.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {object} Task as a summary of turbo describes it
 * @property {string} task
 * @property {string} command
 * @property {string} directory
 * @property {{ status: 'HIT' | 'MISS' }} cache
 * @property {{ exitCode: number | null, startTime: number } | null} execution absent for a task that did not start
 */

/** The summaries of the runs of turbo in the folder, without tasks that no workspace has. @param {string} root */
export function readRuns(root) {
  const folder = join(root, '.turbo', 'runs')
  const files = existsSync(folder) ? readdirSync(folder) : []
  return files.map((file) => {
    const { execution, tasks } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return {
      /** @type {number} */
      seconds: (execution.endTime - execution.startTime) / 1_000,
      /** @type {Task[]} */
      tasks: tasks.filter((/** @type {Task} */ task) => task.command !== '<NONEXISTENT>'),
    }
  })
}

/**
 * The tests of all workspaces, those of cached tasks too.
 * @param {string} root
 * @param {readonly Task[]} tasks
 * @param {number} code of turbo. Its summary lacks a task that was interrupted, so a failure without a failed task counts
 */
export function countTests(root, tasks, code) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { task, directory, cache, execution } of tasks.filter((entry) =>
    entry.task.startsWith('test'),
  )) {
    const since = cache.status === 'HIT' ? 0 : (execution?.startTime ?? Infinity)
    const report = join(root, directory, 'test-results', `${task}.json`)
    const { passed, failed, skipped } = countReport(report, execution?.exitCode ?? 1, since)
    counts.passed += passed
    counts.failed += failed
    counts.skipped += skipped
  }
  const isExplained = tasks.some(({ execution }) => execution?.exitCode)
  if (tasks.length === 0 || (code !== 0 && !isExplained)) counts.failed += 1
  return counts
}

/**
 * @param {string} path path of a report of vitest
 * @param {number} code exit code of vitest
 * @param {number} since a report from before this time is of another run; vitest wrote none in this one
 * @returns {Counts}
 */
export function countReport(path, code, since) {
  const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const counts = report.startTime >= since ? report : {}
  return {
    passed: counts.numPassedTests ?? 0,
    // A file that cannot be loaded and an error outside of a test end vitest without a failed test.
    failed: counts.numFailedTests || (code === 0 ? 0 : 1),
    skipped: (counts.numPendingTests ?? 0) + (counts.numTodoTests ?? 0),
  }
}
