// node keep-what-runs.mjs @signet/token CHECKOUT INSTALLED
//
// INSTALLED is a pruned workspace with the production dependencies of one app. Keeps the app and the packages that it
// runs on, adds their sources and what they read at run time, and links the app as INSTALLED/app.
import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

const [app = '', checkout = '', installed = ''] = process.argv.slice(2)

/** Files of a package for building and testing only. */
const NOT_AT_RUN_TIME = new Set(['test', 'scripts', 'node_modules', '.turbo', 'package.json', 'README.md'])
const NOT_LOADED = ['**/*.map', '**/*.d.ts', '**/*.d.mts', '**/*.d.cts']

const folders = ['apps', 'packages']
  .flatMap((group) => readdirSync(join(installed, group)).map((name) => join(group, name)))
  .map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(installed, folder, 'package.json'), 'utf8')),
  }))
const byName = new Map(folders.map((unit) => [unit.manifest.name, unit]))

const running = new Set()
function keep(name) {
  const unit = byName.get(name)
  if (unit === undefined || running.has(unit)) return
  running.add(unit)
  for (const dependency of Object.keys(unit.manifest.dependencies ?? {})) keep(dependency)
}
keep(app)

for (const unit of folders) {
  const { folder } = unit
  if (!running.has(unit)) {
    rmSync(join(installed, folder), { recursive: true })
    continue
  }
  // A package that is built says which of its files others read.
  for (const name of unit.manifest.files ?? readdirSync(join(checkout, folder))) {
    if (NOT_AT_RUN_TIME.has(name) || name === 'tsconfig.json') continue
    cpSync(join(checkout, folder, name), join(installed, folder, name), { recursive: true })
  }
}
for (const file of globSync(NOT_LOADED, { cwd: installed })) rmSync(join(installed, file), { force: true })
/** The last two tell when the installation was: without them two builds of one checkout have the same files. */
const OF_THE_INSTALLER = [
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'package.json',
  'node_modules/.modules.yaml',
  'node_modules/.pnpm-workspace-state-v1.json',
]
for (const name of OF_THE_INSTALLER) rmSync(join(installed, name), { force: true })

const { folder } = byName.get(app) ?? { folder: '' }
if (!existsSync(join(installed, folder, 'src', 'main.ts'))) throw new Error(`${app} is not an app`)
symlinkSync(join('apps', basename(folder)), join(installed, 'app'))
