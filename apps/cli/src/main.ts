#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'
import manifest from '../package.json' with { type: 'json' }
import { errorLines, exitCodeOf } from './exit-codes.ts'
import { runCommand } from './program.ts'

const note = (line: string) => void process.stderr.write(`signet: ${line}\n`)

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(`${question} `)).trim()
  } finally {
    terminal.close()
  }
}

const confirm = async (question: string) => /^y(es)?$/i.test(await ask(`${question} [y/N]`))

const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  // `start` and `explorer` take characters of an address for their own.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

async function openBrowser(url: string): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  await once(child, 'spawn')
  child.unref()
}

function interruption(): AbortSignal {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  return interrupted.signal
}

// A reader such as `head` may close the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

async function main(): Promise<void> {
  const hasTerminal = process.stdin.isTTY && process.stderr.isTTY
  try {
    await runCommand(process.argv.slice(2), {
      version: manifest.version,
      now: () => new Date(),
      env: process.env,
      fetch,
      randomId: randomUUID,
      pause,
      standardInput: () => process.stdin,
      confirm: hasTerminal ? confirm : undefined,
      ask: hasTerminal ? ask : undefined,
      openBrowser,
      interruption,
      say: (line) => void process.stdout.write(`${line}\n`),
      note,
    })
  } catch (error) {
    for (const line of errorLines(error)) note(line)
    process.exitCode = exitCodeOf(error)
  }
}

void main()
