// Checks what no compiler checks: who imports whom, file names, file lengths, reads of the environment.
// `node packages/toolchain/boundaries.mjs [folder]`
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkBarrels } from './boundaries/check-barrels.mjs'
import { checkDependencies } from './boundaries/check-dependencies.mjs'
import { checkEnvironment } from './boundaries/check-environment.mjs'
import { checkLengths } from './boundaries/check-lengths.mjs'
import { checkPaths } from './boundaries/check-paths.mjs'
import { sourceFiles } from './boundaries/source-files.mjs'
import { ROOT } from './project.mjs'

const root = resolve(process.argv[2] ?? ROOT)
const longFiles = join(root, 'packages/toolchain/boundaries/long-files.json')
const paths = sourceFiles(root)
const violations = [
  ...(await checkDependencies(root)),
  ...checkPaths(paths),
  ...checkBarrels(root, paths),
  ...checkLengths(root, paths, existsSync(longFiles) ? JSON.parse(readFileSync(longFiles, 'utf8')) : {}),
  ...checkEnvironment(root, paths),
]
for (const violation of violations) console.error(violation)
console.error(`boundaries: ${paths.length} files, ${violations.length} violations`)
process.exit(violations.length === 0 ? 0 : 1)
