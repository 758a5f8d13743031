// Long files are two files that have not been told apart yet.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE_LINES = 300
const TEST_LINES = 600
const MAIN_LINES = 30
const CODE = /\.(ts|mjs|sql|lua)$/
const TEST = /\/test\/|\.test\.(ts|mjs)$/

/**
 * @param {string} root
 * @param {readonly string[]} paths
 * @param {Readonly<Record<string, string>>} allowed path → the sentence that says why the file is long
 * @returns {string[]} one line per violation
 */
export function checkLengths(root, paths, allowed) {
  const long = paths.filter((path) => CODE.test(path)).flatMap((path) => tooLong(root, path))
  const violations = long
    .filter(({ path }) => !allowed[path])
    .map(({ path, lines, limit }) => {
      return `${path}: ${lines} lines, the limit is ${limit}; split it, or give the reason in long-files.json`
    })
  const needless = Object.keys(allowed).filter(
    (allowedPath) => !long.some(({ path }) => path === allowedPath),
  )
  return [...violations, ...needless.map((path) => `long-files.json: ${path} needs no entry any more`)]
}

/** @param {string} root @param {string} path */
function tooLong(root, path) {
  const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1
  const limit = TEST.test(path)
    ? TEST_LINES
    : /^apps\/[^/]+\/src\/main\.ts$/.test(path)
      ? MAIN_LINES
      : SOURCE_LINES
  return lines > limit ? [{ path, lines, limit }] : []
}
