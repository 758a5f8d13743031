import { runOnce } from '@signet/platform/process/run-service'
import { readCommand } from './command.ts'
import { markRestored } from './mark-restored.ts'
import { prepareInstallation } from './prepare-installation.ts'

await runOnce({
  name: 'migrate',
  env: process.env,
  async run(env) {
    const command = readCommand(process.argv.slice(2))
    if (command.name === 'prepare') return prepareInstallation(env)
    const print = (line: string) => void process.stdout.write(`${line}\n`)
    return markRestored(env, { dryRun: command.dryRun, now: new Date(), print })
  },
})
