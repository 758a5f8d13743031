// The connection pooler that the race tests run through once.
import { findProgram, installOrExplain } from './system-packages.mjs'

/**
 * Path of pgbouncer; Debian puts it where the PATH of an ordinary user does not reach.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string | undefined}
 */
export function findPgbouncer(env) {
  return findProgram(['pgbouncer'], { PATH: `${env.PATH ?? ''}:/usr/sbin` })
}

/** Makes sure that the tests find PgBouncer. */
export async function preparePgbouncer() {
  const packages = [['pgbouncer']]
  await installOrExplain({
    what: 'PgBouncer',
    installed: () => findPgbouncer(process.env) !== undefined,
    packages: {
      'apt-get': packages,
      dnf: packages,
      apk: packages,
      pacman: packages,
      zypper: packages,
      brew: packages,
    },
    otherwise: 'the tests run against it',
  })
}
