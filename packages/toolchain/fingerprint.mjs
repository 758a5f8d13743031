// Remembers what a step was last done for, so that it can be skipped.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { ROOT } from './project.mjs'

/**
 * Hash of the names and contents of files and of everything in folders.
 * @param {readonly string[]} paths relative to the repository; missing ones count as missing
 */
export function fingerprint(paths) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const path of paths.flatMap((name) => filesUnder(join(ROOT, name)))) {
    hash.update(`${relative(ROOT, path)}\n`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/**
 * Does `work` unless `stampFile` says that it was done for the same fingerprint.
 * @param {string} stampFile
 * @param {string} wanted
 * @param {() => Promise<void>} work
 */
export async function onceFor(stampFile, wanted, work) {
  if (isDoneFor(stampFile, wanted)) return
  await work()
  await mkdir(dirname(stampFile), { recursive: true })
  await writeFile(stampFile, wanted)
}

/** @param {string} stampFile @param {string} wanted */
export function isDoneFor(stampFile, wanted) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted
}

/** @param {string} path @returns {string[]} */
function filesUnder(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)))
}
