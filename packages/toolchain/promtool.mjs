// promtool, with which the tests run the alert rules of the chart; it comes with Prometheus.
import { findProgram, installOrExplain, keepServicesOff } from './system-packages.mjs'

/**
 * Path of promtool on the PATH.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string | undefined}
 */
export function findPromtool(env) {
  return findProgram(['promtool'], env)
}

/** Makes sure that the tests find promtool. */
export async function preparePromtool() {
  const installed = () => findPromtool(process.env) !== undefined
  if (installed()) return
  const packages = [['prometheus']]
  await installOrExplain({
    what: 'promtool',
    installed,
    packages: {
      'apt-get': packages,
      dnf: [['golang-github-prometheus'], ['prometheus2']],
      apk: packages,
      pacman: packages,
      zypper: [['golang-github-prometheus-prometheus']],
      brew: packages,
    },
    otherwise: 'the tests run the alert rules with it',
  })
  await keepServicesOff(['prometheus'])
}
