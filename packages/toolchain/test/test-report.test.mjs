import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closingLine, countTests } from '../test-report.mjs'
import { temporaryFolder } from './fixtures/repository.mjs'

/** @param {[string, string[]][]} files status of each file and of its tests @param {number} exitCode */
async function line(files, exitCode) {
  const report = join(temporaryFolder('report'), 'report.json')
  const testResults = files.map(([status, tests]) => ({
    status,
    assertionResults: tests.map((test) => ({ status: test })),
  }))
  writeFileSync(report, JSON.stringify({ testResults }))
  return closingLine(await countTests(report, exitCode))
}

describe('the closing line', () => {
  it('counts tests that passed, failed and were not run', async () => {
    const files = /** @type {[string, string[]][]} */ ([
      ['passed', ['passed', 'passed', 'skipped']],
      ['failed', ['passed', 'failed', 'todo', 'pending']],
    ])
    await expect(line(files, 1)).resolves.toBe('3 passed, 1 failed, 3 skipped')
  })

  it('counts a file that could not be loaded as failed', async () => {
    await expect(
      line(
        [
          ['failed', []],
          ['passed', ['passed']],
        ],
        1,
      ),
    ).resolves.toBe('1 passed, 1 failed, 0 skipped')
  })

  it('never says "0 failed" when vitest did not succeed', async () => {
    await expect(line([['passed', ['passed']]], 1)).resolves.toBe('1 passed, 1 failed, 0 skipped')
    await expect(countTests('/nowhere/report.json', 0)).resolves.toEqual({ passed: 0, failed: 1, skipped: 0 })
  })
})
