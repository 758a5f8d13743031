// A redis-server or valkey-server on the PATH; apps start their own private one with it.
import { findProgram, installOrExplain, keepServicesOff } from './system-packages.mjs'

const PROGRAMS = ['redis-server', 'valkey-server']
const SERVICES = ['redis-server', 'redis', 'valkey']

/** Makes sure that a Redis server can be started; installs one as root. */
export async function prepareRedis() {
  const installed = () => findProgram(PROGRAMS, process.env) !== undefined
  if (installed()) return
  await installOrExplain({
    what: 'a Redis server (redis-server or valkey-server)',
    installed,
    packages: {
      'apt-get': [['redis-server'], ['valkey-server']],
      dnf: [['valkey'], ['redis']],
      apk: [['redis'], ['valkey']],
      pacman: [['valkey'], ['redis']],
      zypper: [['valkey'], ['redis']],
      brew: [['redis']],
    },
    otherwise: 'or set SIGNET_REDIS_URL to a server that runs already',
  })
  await keepServicesOff(SERVICES)
}
