// The environment is read once, where a process begins; everything else gets its settings as an argument.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProductionTree } from './source-files.mjs'

const READS = [
  /\bprocess\s*\.\s*env\b/,
  /\bprocess\s*\[/,
  /\bfrom\s+'(node:)?process'/,
  /}\s*=\s*(globalThis\.)?process\b/,
]
const MAY_READ =
  /^(apps\/[^/]+|benchmarks)\/src\/main\.ts$|^packages\/(testkit\/src\/(global-setup|child-environment)\.ts$|end-to-end-tests\/)/

/**
 * @param {string} root
 * @param {readonly string[]} paths
 * @returns {string[]} one line per violation
 */
export function checkEnvironment(root, paths) {
  return paths
    .filter((path) => isProductionTree(path) && !MAY_READ.test(path))
    .filter((path) => READS.some((read) => read.test(readFileSync(join(root, path), 'utf8'))))
    .map((path) => `${path}: reads the environment; take the value as an argument from main.ts`)
}
