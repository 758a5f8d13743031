import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { exitCodeOf } from '../src/exit-codes.ts'
import { runCommand } from '../src/program.ts'
import { commandContext } from './command-fixture.ts'

async function size(...args: string[]): Promise<string> {
  const lines: string[] = []
  const fetch = () => expect.unreachable('it calls no server')
  await runCommand(['size', ...args], commandContext({ fetch, say: (line) => lines.push(line) }))
  return lines.join('\n')
}

const small = ['--people', '10000', '--sign-ins-per-second', '5']

it('computes pods, storage and connections without a server', async () => {
  const out = await size(...small)
  expect(out).toMatch(/^COMPONENT +CORES +MIN REPLICAS +MAX REPLICAS +CPU REQUEST\nlogin +/)
  expect(out).toMatch(/^PostgreSQL +[\d.]+ GB, [\d.]+ cores, \d+ connections\nRedis +[\d.]+ MB/m)
})

it('takes each other number of the demand', async () => {
  const json = async (...args: string[]) => JSON.parse(await size(...small, '--output', 'json', ...args))
  const base = await json()
  for (const [option, changed] of [
    ['--introspections-per-second', 'redisShare'],
    ['--refreshes-per-second', 'postgresCores'],
    ['--client-tokens-per-second', 'postgresCores'],
    ['--sign-ins-per-day', 'postgresGigabytes'],
    ['--endings-per-day', 'redisMegabytes'],
  ] as const) {
    expect((await json(option, '9000000'))[changed]).toBeGreaterThan(base[changed])
  }
})

it('writes values of the chart', async () => {
  const values = parse(await size(...small, '--values'))
  expect(values.components.directory.autoscaling).toMatchObject({ enabled: true, minReplicas: 2 })
})

it.each([
  [['--people', '10'], /sign-ins-per-second/],
  [['--people', 'many', '--sign-ins-per-second', '1'], /^--people: must be a number$/],
])('refuses %j', async (args, message) => {
  const error = await size(...args).catch((thrown: unknown) => thrown)
  expect(exitCodeOf(error)).toBe(2)
  expect((error as Error).message).toMatch(message)
})
