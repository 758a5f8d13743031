// Lists source files by looking at the folders, independent of what any other tool believes to see.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const SOURCE_FOLDERS = ['apps', 'packages', 'benchmarks']
const NOT_SOURCE = new Set(['node_modules', 'dist', '.turbo', 'gen'])

/**
 * Paths, relative to `root`, of the files below apps, packages and benchmarks; installed, built and generated ones left out.
 * @param {string} root
 */
export function sourceFiles(root) {
  return SOURCE_FOLDERS.flatMap((group) => below(root, group)).sort()
}

/** @param {string} root @param {string} folder @returns {string[]} */
function below(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return NOT_SOURCE.has(entry.name) ? [] : below(root, path)
    return [path]
  })
}

/** Whether a path is TypeScript below `src`. @param {string} path */
export function isProductionTree(path) {
  return /^((apps|packages)\/[^/]+|benchmarks)\/src\/.*\.ts$/.test(path)
}
