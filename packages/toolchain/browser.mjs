// Finds, and as root installs, the Chromium that the tests drive.
import { existsSync } from 'node:fs'
import { findProgram, installOrExplain } from './system-packages.mjs'

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC_APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Path of a Chromium or Chrome: the one that SIGNET_TEST_CHROMIUM names, else one on the PATH or among the
 * applications of macOS.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string | undefined}
 */
export function findChromium(env) {
  if (env.SIGNET_TEST_CHROMIUM) return env.SIGNET_TEST_CHROMIUM
  return findProgram(PROGRAMS, env) ?? MAC_APPLICATIONS.find((path) => existsSync(path))
}

/** Makes sure that the tests find a browser. */
export async function prepareBrowser() {
  await installOrExplain({
    what: 'Chromium',
    installed: () => findChromium(process.env) !== undefined,
    packages: {
      'apt-get': [['chromium'], ['chromium-browser']],
      dnf: [['chromium']],
      apk: [['chromium']],
      pacman: [['chromium']],
      zypper: [['chromium']],
      brew: [['--cask', 'chromium']],
    },
    otherwise: 'or set SIGNET_TEST_CHROMIUM to the path of a Chromium or Chrome',
  })
}
