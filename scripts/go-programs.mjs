// @ts-check
// Programs that are built from Go modules, and the folders of modules. Go takes modules through its proxy and compares them
// with the checksum database.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TOOLS } from './bootstrap.mjs'
import { Problem, run, runOrFail, say } from './processes.mjs'
import { findProgram, REQUIREMENTS } from './system-packages.mjs'

/** @param {NodeJS.ProcessEnv} env @param {string} what is built with it, for the message */
export async function requireGo(env, what) {
  const { code } = await run('go', ['version'], { env, output: 'capture' }).catch(() => ({ code: 1 }))
  if (code !== 0)
    throw new Problem(`there is no Go to build ${what} with; install Go, and put it on the PATH`)
}

/**
 * Builds a program into a folder. Throws Problem without Go.
 * @param {string} module with its version
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
export async function buildGoProgram(module, folder, env) {
  await requireGo(env, module)
  say(`building ${module}`)
  await mkdir(folder, { recursive: true })
  const options = {
    env: { ...env, GOBIN: folder, CGO_ENABLED: '0' },
    output: /** @type {const} */ ('capture'),
  }
  await runOrFail('go', ['install', '-ldflags=-s -w', module], options)
}

/** Builds Helm where no program of that name is on the PATH. @param {NodeJS.ProcessEnv} env */
export async function provideHelm(env) {
  if (findProgram(REQUIREMENTS.helm, env) !== undefined) return
  await buildGoProgram('helm.sh/helm/v4/cmd/helm@v4.1.4', join(TOOLS, 'bin'), env)
}

/**
 * Fetches a module and returns its folder and its go.mod. Throws Problem when this Go is too old for it.
 * @param {string} module with its version
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ folder: string, goMod: string }>}
 */
export async function fetchModule(module, env) {
  const { code, output } = await run('go', ['mod', 'download', '-json', module], { env, output: 'capture' })
  const { Dir, GoMod, Error: error = output } = JSON.parse(/^\{[\s\S]*^\}/m.exec(output)?.[0] ?? '{}')
  if (code !== 0 || Dir === undefined) throw new Problem(`${module} cannot be fetched: ${error}`)
  return { folder: Dir, goMod: await readFile(GoMod, 'utf8') }
}

/**
 * Builds programs of a module whose go.mod replaces modules by folders of its repository, which `go install` refuses: a
 * go.mod of its own names the published versions of these instead. Two compilers run at a time, with the least priority.
 * @param {object} source
 * @param {string} source.module
 * @param {string} source.version
 * @param {string} [source.replaced] version of the modules that are replaced
 * @param {Record<string, string>} source.programs paths of their packages in the module
 * @param {Record<string, string>} [source.variables] that the linker sets
 * @param {{ build: string, output: string }} folders
 * @param {NodeJS.ProcessEnv} env
 */
export async function buildModule({ module, version, replaced, programs, variables = {} }, folders, env) {
  const { goMod } = await fetchModule(`${module}@${version}`, env)
  const [go] = /^go .*/m.exec(goMod) ?? []
  const names = [...goMod.matchAll(/^\s*(\S+) => \.\S+$/gm)].map(([, name]) => name)
  const replacements = names.map((name) => `replace ${name} => ${name} ${replaced}\n`)
  await mkdir(folders.build, { recursive: true })
  await writeFile(
    join(folders.build, 'go.mod'),
    `module programs\n\n${go}\n\nrequire ${module} ${version}\n\n${replacements.join('')}`,
  )
  const output = /** @type {const} */ ('capture')
  const options = { cwd: folders.build, env: { ...env, CGO_ENABLED: '0' }, output }
  const packages = Object.values(programs).map((path) => `${module}${path}@${version}`)
  await runOrFail('go', ['get', ...packages], options)
  const settings = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)
  const flags = ['-p', '2', '-trimpath', `-ldflags=${['-s', '-w', ...settings].join(' ')}`]
  for (const [name, path] of Object.entries(programs)) {
    const target = ['-o', join(folders.output, name), `${module}${path}`]
    await runOrFail('nice', ['-n', '15', 'go', 'build', ...flags, ...target], options)
  }
}
