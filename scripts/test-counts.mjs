// @ts-check
// Counts the tests of a run, and names those that failed, from the summaries of turbo and the reports of vitest.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} failures one line for each failed test: its file and its full title
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
  /** @type {Counts} */
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [] }
  for (const { task, directory, cache, execution } of tasks.filter((entry) =>
    entry.task.startsWith('test'),
  )) {
    const since = cache.status === 'HIT' ? 0 : (execution?.startTime ?? Infinity)
    const report = join(directory, 'test-results', `${task}.json`)
    const counted = countReport(root, report, execution?.exitCode ?? 1, since)
    counts.passed += counted.passed
    counts.failed += counted.failed
    counts.skipped += counted.skipped
    counts.failures.push(...counted.failures)
  }
  const isExplained = tasks.some(({ execution }) => execution?.exitCode)
  if (tasks.length === 0 || (code !== 0 && !isExplained)) {
    counts.failed += 1
    counts.failures.push(`turbo: exit code ${code} without a failed task`)
  }
  return counts
}

/**
 * @param {string} root
 * @param {string} path path of a report of vitest below `root`
 * @param {number} code exit code of vitest
 * @param {number} since a report from before this time is of another run; vitest wrote none in this one
 * @returns {Counts}
 */
export function countReport(root, path, code, since) {
  const file = join(root, path)
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const counts = report.startTime >= since ? report : {}
  const failures = failuresOf(root, counts.testResults ?? [])
  // An error outside of a test ends vitest without a failed test, and so does a signal.
  if (failures.length === 0 && code !== 0) failures.push(`${path}: exit code ${code} without a failed test`)
  return {
    passed: counts.numPassedTests ?? 0,
    // A file that cannot be loaded ends vitest without a failed test too.
    failed: counts.numFailedTests || (code === 0 ? 0 : 1),
    skipped: (counts.numPendingTests ?? 0) + (counts.numTodoTests ?? 0),
    failures,
  }
}

/**
 * @typedef {object} FileResult as a report of vitest describes a file of tests
 * @property {string} name its path
 * @property {string} status
 * @property {string} message the error of a file that cannot be loaded, else empty
 * @property {{ ancestorTitles: string[], title: string, status: string }[]} assertionResults
 */

/** @param {string} root @param {readonly FileResult[]} files @returns {string[]} */
function failuresOf(root, files) {
  return files.flatMap(({ name, status, message, assertionResults }) => {
    const path = relative(root, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    // The report has no error of a hook that failed in a group.
    if (failed.length === 0 && status === 'failed')
      return [`${path}: ${message.split('\n', 1)[0] || 'a hook failed'}`]
    return failed.map(({ ancestorTitles, title }) => `${path}: ${[...ancestorTitles, title].join(' > ')}`)
  })
}
