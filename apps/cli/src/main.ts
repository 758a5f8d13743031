#!/usr/bin/env node
import { runOnce } from '@signet/service-runtime/run-once'
import { runCommand } from './run-command.ts'

await runOnce({
  name: 'signet',
  env: process.env,
  run: () =>
    runCommand(process.argv.slice(2), {
      now: () => new Date(),
      env: process.env,
      fetch,
      say: (text) => void process.stdout.write(`${text}\n`),
    }),
})
