// @ts-check
// Programs that the operating system's package manager provides.
import { accessSync, constants, existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Problem, run, say } from './processes.mjs'

/** How each package manager installs; the first one on the PATH is used. apt-get waits for the lock of another apt. */
const MANAGERS = {
  'apt-get': ['install', '--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=600'],
  dnf: ['install', '--assumeyes'],
  apk: ['add'],
  pacman: ['--sync', '--refresh', '--noconfirm'],
  zypper: ['--non-interactive', 'install'],
  brew: ['install'],
}

/**
 * @typedef {object} Requirement
 * @property {string} name
 * @property {string[]} programs one of these has to be on the PATH
 * @property {string[]} [paths] other places where it may be
 * @property {Record<string, string[]>} packages by package manager, the better alternative first; `default` for the others
 * @property {string[]} [services] servers that the packages may switch on, which are not wanted
 * @property {string} otherwise what else the user can do, as the end of a sentence
 */

/** @satisfies {Record<string, Requirement>} */
export const REQUIREMENTS = {
  redis: {
    name: 'a Redis server (redis-server or valkey-server)',
    programs: ['redis-server', 'valkey-server'],
    packages: {
      'apt-get': ['redis-server', 'valkey-server'],
      apk: ['redis', 'valkey'],
      brew: ['redis'],
      default: ['valkey', 'redis'],
    },
    services: ['redis-server', 'redis', 'valkey'],
    otherwise: 'or set SIGNET_REDIS_URL to a server that runs already',
  },
  chromium: {
    name: 'Chromium',
    // The shell has no window and takes half the CPU.
    programs: [
      'chromium-headless-shell',
      'chromium',
      'chromium-browser',
      'google-chrome',
      'google-chrome-stable',
    ],
    paths: [
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    packages: {
      'apt-get': ['chromium-headless-shell', 'chromium', 'chromium-browser'],
      default: ['chromium'],
    },
    otherwise: 'or set SIGNET_TEST_CHROMIUM to the path of a Chromium or Chrome',
  },
  pgbouncer: {
    name: 'PgBouncer',
    programs: ['pgbouncer'],
    paths: ['/usr/sbin/pgbouncer'],
    packages: { default: ['pgbouncer'] },
    services: ['pgbouncer'],
    otherwise: 'the tests of the connection pooler need it',
  },
  promtool: {
    name: 'promtool',
    programs: ['promtool'],
    packages: {
      dnf: ['golang-github-prometheus', 'prometheus2'],
      zypper: ['golang-github-prometheus-prometheus'],
      default: ['prometheus'],
    },
    services: ['prometheus'],
    otherwise: 'the tests of the alert rules need it',
  },
  helm: {
    name: 'Helm',
    programs: ['helm'],
    packages: { 'apt-get': [], default: ['helm'] },
    otherwise: 'the tests of the chart need it',
  },
}

/**
 * Path of the first of the programs on the PATH, or of another place that exists.
 * @param {Pick<Requirement, 'programs' | 'paths'>} requirement
 * @param {Readonly<Record<string, string | undefined>>} [env]
 * @returns {string | undefined}
 */
export function findProgram({ programs, paths = [] }, env = process.env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = programs.flatMap((program) => folders.map((folder) => join(folder, program)))
  return [...candidates, ...paths].find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * Returns the path of the program; installs it as root, and otherwise throws a Problem with the command for this system.
 * @param {Requirement} requirement
 * @param {{ env: NodeJS.ProcessEnv, asRoot: boolean }} [system]
 * @returns {Promise<string>}
 */
export async function provide(
  requirement,
  { env, asRoot } = { env: process.env, asRoot: process.getuid?.() === 0 },
) {
  const { name, packages, services = [], otherwise } = requirement
  const found = findProgram(requirement, env)
  if (found !== undefined) return found
  const entry = Object.entries(MANAGERS).find(([program]) =>
    findProgram({ ...requirement, programs: [program], paths: [] }, env),
  )
  const [manager = '', install = []] = entry ?? []
  const alternatives = packages[manager] ?? packages.default ?? []
  if (entry === undefined || alternatives.length === 0)
    throw new Problem(`${name} is missing; install it, ${otherwise}`)
  // Homebrew refuses to run as root; the others need it.
  if (!asRoot || manager === 'brew') {
    const command = [...(manager === 'brew' ? [] : ['sudo']), manager, ...install, alternatives[0]].join(' ')
    throw new Problem(`${name} is missing; run: ${command}   (${otherwise})`)
  }
  say(`installing ${name} with ${manager}, which may wait for another run of ${manager}`)
  await withoutStartingServices(async () => {
    const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } }
    if (manager === 'apt-get') await updatePackageLists(options)
    for (const alternative of alternatives) {
      if (findProgram(requirement, env) === undefined) await run(manager, [...install, alternative], options)
    }
  })
  if (existsSync('/run/systemd/system'))
    await run('systemctl', ['disable', '--now', ...services], { output: 'capture' })
  const installed = findProgram(requirement, env)
  if (installed === undefined)
    throw new Problem(`${name} could not be installed with ${manager}; see above, ${otherwise}`)
  return installed
}

/** Waits for its lock, which DPkg::Lock::Timeout does not cover. @param {import('./processes.mjs').RunOptions} options */
async function updatePackageLists(options) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const { output } = await run('apt-get', ['update'], { ...options, output: 'capture' })
    if (!output.includes('Could not get lock')) return
    await pause(2_000)
  }
}

const POLICY = '/usr/sbin/policy-rc.d'

/**
 * Debian starts a service as soon as its package is installed unless this file forbids it. A file of the administrator stays.
 * @param {() => Promise<void>} work
 */
async function withoutStartingServices(work) {
  const write = existsSync('/etc/debian_version') && !existsSync(POLICY)
  if (write) await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    if (write) await rm(POLICY, { force: true })
  }
}
