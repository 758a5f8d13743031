// Where a run of the tests keeps its databases and files.
import { readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
// A run uses 400 MB of it at a time.
const ROOM_BYTES = 2 * 2 ** 30

/**
 * The folder in which a run makes its own. Tests make and delete some hundred databases of a thousand files each;
 * file systems of disks can take longer for that than the tests do. So it is in memory where there is a file system
 * for it with room, unless somebody chose by `TMPDIR`. Soak tests have databases that do not fit.
 * @param {NodeJS.ProcessEnv} env
 * @param {'small' | 'soak'} size
 */
export async function folderForTests(env, size) {
  if (env.TMPDIR) return env.TMPDIR
  if (size === 'soak') return tmpdir()
  return (await runsPrograms(IN_MEMORY)) && (await hasRoom(IN_MEMORY)) ? IN_MEMORY : tmpdir()
}

/** Tests start scripts that they wrote; containers forbid that in their shared memory. @param {string} folder */
async function runsPrograms(folder) {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  const [, , type, options = ''] = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, path]) => path === folder) ?? ['', '', '', '']
  return type === 'tmpfs' && !options.split(',').includes('noexec')
}

/** @param {string} folder */
async function hasRoom(folder) {
  const { bavail, bsize } = await statfs(folder)
  return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES
}
