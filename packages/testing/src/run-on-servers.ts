// node run-on-servers.ts turbo run test
//
// Runs a command whose tests share one PostgreSQL and one Redis server, and stops these afterwards.
import { run, stopChildrenWithThisProcess } from '../../../scripts/processes.mjs'
import { startServersOfRun } from './backing-services.ts'

const [command = '', ...args] = process.argv.slice(2)
stopChildrenWithThisProcess()
const servers = await startServersOfRun(process.env)
try {
  const { code } = await run(command, args, { env: { ...process.env, ...servers.env }, output: 'inherit' })
  process.exitCode = code
} finally {
  await servers.stop()
}
