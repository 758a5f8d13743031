// Keeps each package's tsconfig `references` and the root solution equal to its workspace dependencies.
// `node packages/toolchain/sync-references.mjs` writes; with --check it only reports and exits 1.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const checkOnly = process.argv.includes('--check')

const folders = ['apps', 'packages'].flatMap((group) =>
  readdirSync(join(root, group), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${group}/${entry.name}`),
)
const units = [...folders, 'benchmarks']
  .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
  .map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')),
  }))
const folderOf = new Map(units.map(({ folder, manifest }) => [manifest.name, folder]))

let stale = 0
/** @param {string} file @param {string[]} references */
function settle(file, references) {
  const path = join(root, file)
  const config = JSON.parse(readFileSync(path, 'utf8'))
  const wanted = references.map((path) => ({ path }))
  if (JSON.stringify(config.references) === JSON.stringify(wanted)) return
  stale += 1
  if (checkOnly)
    console.error(
      `${file}: references differ from package.json; run node packages/toolchain/sync-references.mjs`,
    )
  else writeFileSync(path, `${JSON.stringify({ ...config, references: wanted }, null, 2)}\n`)
}

for (const { folder, manifest } of units) {
  const used = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    .flatMap((name) => folderOf.get(name) ?? [])
    .map((used) => relative(folder, used))
    .sort()
  settle(`${folder}/tsconfig.json`, used)
}
const all = units.map(({ folder }) => `./${folder}`).sort()
settle('tsconfig.test.json', all)
settle('tsconfig.json', [...all, './tsconfig.test.json'])
if (checkOnly && stale > 0) process.exit(1)
