import { expect, it } from 'vitest'
import { freePort } from './free-port.ts'

it('is given once in a process, since whoever asks may bind it much later', async () => {
  const ports = new Set<number>()
  for (let calls = 0; calls < 700; calls += 1) ports.add(await freePort())
  expect(ports.size).toBe(700)
})
