// Counts what vitest reports.
import { readFile } from 'node:fs/promises'

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ status: string, assertionResults: { status: string }[] }} FileResult
 */

/**
 * @param {string} reportFile JSON report of vitest; missing when vitest died before it wrote one
 * @param {number} exitCode of vitest
 * @returns {Promise<Counts>}
 */
export async function countTests(reportFile, exitCode) {
  /** @type {FileResult[]} */
  let files = []
  try {
    files = JSON.parse(await readFile(reportFile, 'utf8')).testResults
  } catch {
    // Counted below: vitest that ends without a report has not ended well.
    exitCode ||= 1
  }
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const file of files) {
    const statuses = file.assertionResults.map(({ status }) => status)
    for (const status of statuses)
      counts[status === 'passed' || status === 'failed' ? status : 'skipped'] += 1
    // A file that could not be loaded, or whose set-up failed, has no failed test of its own.
    if (file.status === 'failed' && !statuses.includes('failed')) counts.failed += 1
  }
  // An error outside of any test, in the global set-up for one, must not end in "0 failed".
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1
  return counts
}

/** @param {Counts} counts */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
