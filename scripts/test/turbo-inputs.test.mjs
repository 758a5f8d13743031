import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../bootstrap.mjs'

const { tasks } = JSON.parse(
  execFileSync('turbo', ['run', 'test', '--dry=json', '--env-mode=loose'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1e9,
  }),
)
const taskById = new Map(tasks.map((task) => [task.taskId, task]))

/** The files that change the hash of a task. */
function inputsOf(taskId, found = new Set(), seen = new Set()) {
  const task = taskById.get(taskId)
  if (task === undefined || seen.has(taskId)) return found
  seen.add(taskId)
  for (const path of Object.keys(task.inputs)) found.add(normalize(join(task.directory, path)))
  for (const dependency of task.dependencies) inputsOf(dependency, found, seen)
  return found
}

const SPECIFIER = /(?:\bfrom |\bimport\(|^import |new URL\()'((?:\.|@signet\/)[^']+)'/gm

/** Collects the files of the repository that a file loads or names by path, directly or through others. */
function loadedBy(file, found) {
  if (found.has(file) || file.includes('/gen/')) return
  if (!statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile()) return
  found.add(file)
  if (!/\.(ts|mjs)$/.test(file)) return
  for (const [, specifier] of readFileSync(join(ROOT, file), 'utf8').matchAll(SPECIFIER))
    loadedBy(resolve(file, specifier), found)
}

function resolve(file, specifier) {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  const [, name, ...rest] = specifier.split('/')
  const folder = ['packages', 'apps']
    .map((parent) => `${parent}/${name}`)
    .find((path) => existsSync(join(ROOT, path)))
  return `${folder}/src/${rest.join('/')}.ts`
}

const workspaces = tasks.filter(({ task, command }) => task === 'test' && command !== '<NONEXISTENT>')

it.each(workspaces)(
  'turbo runs the tests of $package again when a file that they load changes',
  ({ taskId, directory }) => {
    const inputs = inputsOf(taskId)
    const loaded = new Set()
    for (const file of globSync(`${directory}/{src,test}/**/*.{test,soak}.ts`, { cwd: ROOT }))
      loadedBy(file, loaded)
    expect(loaded.size).toBeGreaterThan(0)
    expect([...loaded].filter((path) => !inputs.has(path))).toEqual([])
  },
)
