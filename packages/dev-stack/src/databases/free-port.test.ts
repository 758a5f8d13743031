import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PROGRAM = `
  const { freePort } = await import(${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)})
  const ports = []
  for (let calls = 0; calls < 400; calls += 1) ports.push(await freePort())
  console.log(ports.join())
  await new Promise((resolve) => process.stdin.on('end', resolve).resume())
`

it('returns a port once, since the caller may bind it much later, and to one process of several', async () => {
  const programs = Array.from({ length: 2 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  const printed = await Promise.all(
    programs.map(async ({ stdout }) => {
      const [line] = await once(createInterface(stdout), 'line')
      return String(line)
    }),
  )
  const ports = new Set(printed.flatMap((line) => line.split(',')))
  for (const { stdin } of programs) stdin.end()
  expect(ports.size).toBe(800)
})
