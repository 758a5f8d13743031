import { writeFileSync } from 'node:fs'
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
const report = (numPassedTests, { startTime = START + 1, numFailedTests = 0, testResults = [] } = {}) =>
  JSON.stringify({
    startTime,
    numPassedTests,
    numFailedTests,
    numPendingTests: 1,
    numTodoTests: 1,
    testResults,
  })

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
    expect(countTests(root, tasks, 1)).toMatchObject({ passed: 10, failed: 4, skipped: 6 })
  })

  it('names the file and the full title of each failed test, and the error of a file that cannot be loaded', () => {
    const path = 'apps/a/test-results/test.json'
    const root = temporaryFolder({ [path]: '' })
    const file = (name, { status = 'failed', message = '', assertionResults = [] }) => ({
      name: join(root, 'apps/a/test', name),
      status,
      message,
      assertionResults,
    })
    const test = (title, status, ancestorTitles = []) => ({ title, status, ancestorTitles })
    const testResults = [
      file('one.test.ts', {
        assertionResults: [
          test('accepts', 'passed'),
          test('rejects', 'failed'),
          test('returns', 'failed', ['users', 'search']),
        ],
      }),
      file('two.test.ts', { status: 'passed', assertionResults: [test('accepts', 'passed')] }),
      file('three.test.ts', { message: 'Cannot find module\n  at line 1' }),
      file('four.test.ts', { assertionResults: [test('accepts', 'skipped')] }),
    ]
    writeFileSync(join(root, path), report(2, { numFailedTests: 2, testResults }))
    expect(countTests(root, [task('apps/a', { exitCode: 1 })], 1).failures).toEqual([
      'apps/a/test/one.test.ts: rejects',
      'apps/a/test/one.test.ts: users > search > returns',
      'apps/a/test/three.test.ts: Cannot find module',
      'apps/a/test/four.test.ts: a hook failed',
    ])
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
    expect(countTests(root, tasks, 1)).toEqual({
      passed: 2,
      failed: 3,
      skipped: 2,
      failures: [
        'apps/a/test-results/test.json: exit code 1 without a failed test',
        'apps/b/test-results/test.json: exit code 137 without a failed test',
        'apps/c/test-results/test.json: exit code 1 without a failed test',
      ],
    })
  })
})

it('counts a failure when turbo was interrupted and no task says so', () => {
  const root = temporaryFolder({ 'apps/a/test-results/test.json': report(2) })
  const failures = ['turbo: exit code 130 without a failed task']
  expect(countTests(root, [task('apps/a')], 130)).toEqual({ passed: 2, failed: 1, skipped: 2, failures })
  expect(countTests(root, [task('apps/a')], 0)).toEqual({ passed: 2, failed: 0, skipped: 2, failures: [] })
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
