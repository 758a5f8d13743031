#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { complaintsOf } from './complaint.ts'
import { exitCodeOf } from './exit-code.ts'
import { runCommand } from './run-command.ts'

const note = (line: string) => void process.stderr.write(`signet: ${line}\n`)

try {
  await runCommand(process.argv.slice(2), {
    now: () => new Date(),
    env: process.env,
    fetch,
    randomId: randomUUID,
    pause,
    readStandardInput: () => text(process.stdin),
    say: (line) => void process.stdout.write(`${line}\n`),
    note,
  })
} catch (error) {
  for (const line of complaintsOf(error)) note(line)
  process.exitCode = exitCodeOf(error)
}
