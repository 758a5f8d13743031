// Folders that several commands may want to make at the same time.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { TOOLS } from './project.mjs'

const ABANDONED_MS = 3_600_000
const LOCK_REFRESH_MS = 1_000
const LOCK_STALE_MS = 10_000

/**
 * Makes a folder under .tools unless it is there. `fill` works in a folder aside that is renamed when it is
 * complete: nobody ever sees half a tool, and of two commands that do this at once the second uses the first's.
 * @param {string} name
 * @param {(folder: string) => Promise<void>} fill
 * @param {string} [tools]
 * @returns {Promise<string>} its path
 */
export async function toolFolder(name, fill, tools = TOOLS) {
  const folder = join(tools, name)
  if (existsSync(folder)) return folder
  await removeAbandoned(join(tools, 'unfinished'))
  const unfinished = join(tools, 'unfinished', `${name}-${randomUUID()}`)
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  try {
    await fill(unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** @param {string} unfinished */
async function removeAbandoned(unfinished) {
  for (const name of await readdir(unfinished).catch(() => [])) {
    const path = join(unfinished, name)
    const age = Date.now() - (await stat(path).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs
    if (age > ABANDONED_MS) await rm(path, { recursive: true, force: true })
  }
}

/**
 * Runs `work` while no other command holds the lock. The holder touches the file every second; one that was
 * killed stops doing so and is overruled after ten.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {() => void} waiting called once when another command holds the lock
 * @param {string} [tools]
 * @returns {Promise<T>}
 */
export async function withLock(name, work, waiting, tools = TOOLS) {
  const file = join(tools, `${name}.lock`)
  await mkdir(dirname(file), { recursive: true })
  for (let attempt = 0; !(await take(file)); attempt += 1) {
    if (attempt === 0) waiting()
    await pause(200)
  }
  const refresh = setInterval(() => utimes(file, new Date(), new Date()).catch(() => {}), LOCK_REFRESH_MS)
  try {
    return await work()
  } finally {
    clearInterval(refresh)
    await rm(file, { force: true })
  }
}

/** @param {string} file */
async function take(file) {
  try {
    await writeFile(file, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > LOCK_STALE_MS) await rm(file, { force: true })
    return false
  }
}
