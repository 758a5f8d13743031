import { expect, it, onTestFinished } from 'vitest'
import { startReplica } from '../../src/processes/replica.ts'

const PORTS = { http: 1, rpc: 2, transfer: 3, operations: 4, mutualTls: 0 }

it('names an end without a request until the process is started again', async () => {
  let script = 'process.exit(1)'
  const problems: string[] = []
  const replica = await startReplica({
    program: () => ['--eval', script],
    service: 'token',
    number: 2,
    ports: PORTS,
    env: {},
    onOutput: () => undefined,
    onUnexpectedEnd: (problem) => problems.push(problem),
  })
  onTestFinished(() => void replica.end('SIGKILL'))
  await expect.poll(() => replica.problem).toBe('token-2 ended with code 1')
  script = 'setInterval(() => undefined, 1_000)'
  await replica.start()
  expect(replica).toMatchObject({ isRunning: true, problem: undefined })
  await replica.end('SIGTERM')
  expect(replica).toMatchObject({ isRunning: false, problem: undefined })
  expect(problems).toEqual(['token-2 ended with code 1'])
})
