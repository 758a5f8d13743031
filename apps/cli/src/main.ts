#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { errorLines, exitCodeOf } from './exit-codes.ts'
import { runCommand } from './program.ts'

const note = (line: string) => void process.stderr.write(`signet: ${line}\n`)

/** One folder up in the sources, in what is compiled of them and in the npm package. */
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')

try {
  await runCommand(process.argv.slice(2), {
    version: (JSON.parse(manifest) as { version: string }).version,
    now: () => new Date(),
    env: process.env,
    fetch,
    randomId: randomUUID,
    pause,
    standardInput: () => process.stdin,
    say: (line) => void process.stdout.write(`${line}\n`),
    note,
  })
} catch (error) {
  for (const line of errorLines(error)) note(line)
  process.exitCode = exitCodeOf(error)
}
