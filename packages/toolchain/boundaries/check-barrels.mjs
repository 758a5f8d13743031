// A file that only passes on what others export hides where things are and loads what nobody asked for.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*$/gm
const RE_EXPORT = /export\s+(type\s+)?(\*(\s+as\s+\w+)?|\{[^}]*\})\s+from\s+'[^']*'\s*;?/g

/**
 * @param {string} root
 * @param {readonly string[]} paths
 * @returns {string[]} one line per violation
 */
export function checkBarrels(root, paths) {
  return paths
    .filter((path) => /\/src\/.*\/?index\.ts$/.test(path))
    .filter(
      (path) =>
        readFileSync(join(root, path), 'utf8').replace(COMMENT, '').replace(RE_EXPORT, '').trim() === '',
    )
    .map((path) => `${path}: only re-exports; list the files in \`exports\` of package.json instead`)
}
