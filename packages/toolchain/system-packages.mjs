// Programs that the operating system has to provide.
import { accessSync, constants, existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { Problem, say } from './project.mjs'
import { run } from './supervise.mjs'

/**
 * Path of the first of `programs` on the PATH.
 * @param {readonly string[]} programs
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string | undefined}
 */
export function findProgram(programs, env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const program of programs) {
    for (const folder of folders) {
      if (isExecutable(join(folder, program))) return join(folder, program)
    }
  }
  return undefined
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** How each package manager installs; the first that is on the PATH is the system's. */
const MANAGERS = {
  'apt-get': { refresh: ['update'], install: ['install', '--yes', '--no-install-recommends'] },
  dnf: { install: ['install', '--assumeyes'] },
  apk: { install: ['add'] },
  pacman: { install: ['--sync', '--refresh', '--noconfirm'] },
  zypper: { install: ['--non-interactive', 'install'] },
  brew: { install: ['install'] },
}

/**
 * @typedef {object} Requirement
 * @property {string} what
 * @property {() => boolean} installed
 * @property {Record<keyof typeof MANAGERS, string[][]>} packages alternatives, the better one first
 * @property {string} otherwise what else the person can do, as the end of a sentence
 */

/**
 * Installs a missing program as root; tells everybody else the command for this system.
 * @param {Requirement} requirement
 * @param {{ env: NodeJS.ProcessEnv, asRoot: boolean }} [system]
 */
export async function installOrExplain(
  requirement,
  { env, asRoot } = { env: process.env, asRoot: process.getuid?.() === 0 },
) {
  if (requirement.installed()) return
  const manager = systemManager(env)
  if (manager === undefined)
    throw new Problem(`${requirement.what} is missing; install it, ${requirement.otherwise}`)
  const alternatives = requirement.packages[manager]
  // Homebrew refuses to run as root; the others need it.
  if (!asRoot || manager === 'brew') {
    const sudo = manager === 'brew' ? '' : 'sudo '
    const command = [...MANAGERS[manager].install, ...(alternatives[0] ?? [])].join(' ')
    throw new Problem(
      `${requirement.what} is missing; run: ${sudo}${manager} ${command}   (${requirement.otherwise})`,
    )
  }
  say(`installing ${requirement.what}`)
  await withoutStartingServices(async () => {
    await installFirst(manager, alternatives, requirement, env)
  })
  if (!requirement.installed()) {
    throw new Problem(
      `${requirement.what} could not be installed with ${manager}; see above, ${requirement.otherwise}`,
    )
  }
}

/** @param {NodeJS.ProcessEnv} env @returns {keyof typeof MANAGERS | undefined} */
function systemManager(env) {
  const names = /** @type {(keyof typeof MANAGERS)[]} */ (Object.keys(MANAGERS))
  return names.find((name) => findProgram([name], env) !== undefined)
}

/**
 * @param {keyof typeof MANAGERS} manager
 * @param {string[][]} alternatives
 * @param {Requirement} requirement
 * @param {NodeJS.ProcessEnv} callerEnv
 */
async function installFirst(manager, alternatives, requirement, callerEnv) {
  const env = { ...callerEnv, DEBIAN_FRONTEND: 'noninteractive' }
  const { install, refresh } = /** @type {{ install: string[], refresh?: string[] }} */ (MANAGERS[manager])
  if (refresh !== undefined) await run(manager, refresh, { env })
  for (const names of alternatives) {
    const { code } = await run(manager, [...install, ...names], { env })
    if (code === 0 && requirement.installed()) return
  }
}

const POLICY = '/usr/sbin/policy-rc.d'

/**
 * Debian starts a service as soon as its package is installed, unless this policy forbids it. An existing policy
 * is the administrator's and stays.
 * @param {() => Promise<void>} work
 */
async function withoutStartingServices(work) {
  const ours = existsSync('/etc/debian_version') && !existsSync(POLICY)
  if (ours) await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    if (ours) await rm(POLICY, { force: true })
  }
}

/**
 * A package may have switched on a server of its own, now or for the next boot.
 * @param {readonly string[]} services names that it may have
 */
export async function keepServicesOff(services) {
  if (!existsSync('/run/systemd/system')) return
  for (const service of services) {
    await run('systemctl', ['disable', '--now', service], { output: 'capture' }).catch(() => {})
  }
}
