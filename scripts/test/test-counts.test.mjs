import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countTests, readRuns } from '../test-counts.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

const START = 1_000
const task = (directory, { status = 'MISS', exitCode = 0, task = 'test' } = {}) => ({
  task,
  command: 'vitest run',
  directory,
  cache: { status },
  execution: { startTime: START, exitCode },
})
const report = (numPassedTests, { startTime = START + 1, numFailedTests = 0 } = {}) =>
  JSON.stringify({ startTime, numPassedTests, numFailedTests, numPendingTests: 1, numTodoTests: 1 })

describe('countTests', () => {
  it('adds up the reports of all test tasks, cached ones too', () => {
    const root = temporaryFolder({
      'apps/a/test-results/test.json': report(2),
      'apps/a/test-results/test:timed.json': report(3, { numFailedTests: 4 }),
      'apps/b/test-results/test.json': report(5, { startTime: START - 1 }),
    })
    const tasks = [
      task('apps/a'),
      task('apps/a', { task: 'test:timed', exitCode: 1 }),
      task('apps/b', { status: 'HIT' }),
      task('apps/a', { task: 'typecheck', exitCode: 1 }),
    ]
    expect(countTests(root, tasks, 1)).toEqual({ passed: 10, failed: 4, skipped: 6 })
  })

  it('counts a run of vitest that fails without a failed test, and ignores the report of an earlier run', () => {
    const root = temporaryFolder({
      'apps/a/test-results/test.json': report(2),
      'apps/b/test-results/test.json': report(5, { startTime: START - 1 }),
    })
    const tasks = [
      task('apps/a', { exitCode: 1 }),
      task('apps/b', { exitCode: 137 }),
      task('apps/c', { exitCode: 1 }),
    ]
    expect(countTests(root, tasks, 1)).toEqual({ passed: 2, failed: 3, skipped: 2 })
  })
})

it('counts a failure when turbo was interrupted and no task says so', () => {
  const root = temporaryFolder({ 'apps/a/test-results/test.json': report(2) })
  expect(countTests(root, [task('apps/a')], 130)).toEqual({ passed: 2, failed: 1, skipped: 2 })
  expect(countTests(root, [task('apps/a')], 0)).toEqual({ passed: 2, failed: 0, skipped: 2 })
  expect(countTests(root, [], 0)).toMatchObject({ failed: 1 })
})

describe('readRuns', () => {
  it('returns the tasks that have a script', () => {
    const tasks = [task('apps/a'), { ...task('apps/b'), command: '<NONEXISTENT>' }]
    const root = temporaryFolder({
      [join('.turbo', 'runs', 'one.json')]: JSON.stringify({
        execution: { startTime: 0, endTime: 2_500 },
        tasks,
      }),
    })
    expect(readRuns(root)).toEqual([{ seconds: 2.5, tasks: [task('apps/a')] }])
  })

  it('returns nothing before the first run', () => {
    expect(readRuns(temporaryFolder())).toEqual([])
  })
})
