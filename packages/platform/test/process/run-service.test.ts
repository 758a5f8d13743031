import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const fixture = fileURLToPath(new URL('./fixtures/service.ts', import.meta.url))

interface Run {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly started: Promise<void>
  /** Exit code and what was written. */
  readonly ended: Promise<{ code: number | null; out: string; err: string }>
}

function run(kind: string, ipc = false): Run {
  const child = spawn(process.execPath, [fixture, kind], {
    stdio: ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' },
  }) as ChildProcessByStdio<null, Readable, Readable>
  let out = ''
  let err = ''
  const started = Promise.withResolvers<void>()
  child.stdout.on('data', (chunk) => {
    out += String(chunk)
    if (out.includes('started')) started.resolve()
  })
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  // Not 'close': node does not emit it after disconnect().
  const ended = Promise.all([once(child, 'exit'), once(child.stdout, 'end'), once(child.stderr, 'end')]).then(
    ([[code]]) => ({ code: code as number | null, out, err }),
  )
  return { child, started: started.promise, ended }
}

describe('runService', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s stops it once, cleanly, with its last log line written',
    async (signal) => {
      const { child, started, ended } = run('steady')
      await started
      child.kill(signal)
      child.kill(signal)
      const { code, out, err } = await ended
      expect(code).toBe(0)
      expect(out).toBe('started\nstopped\n')
      expect(err).toContain('"event":"stopping"')
    },
  )

  it('stops when its parent process ends', async () => {
    const { child, started, ended } = run('steady', true)
    await started
    child.disconnect()
    expect(await ended).toMatchObject({ code: 0, out: 'started\nstopped\n' })
  })

  it('names every configuration problem on its own line and exits with 1', async () => {
    const { code, err } = await run('unconfigured').ended
    expect(code).toBe(1)
    expect(err.trim().split('\n').sort()).toEqual([
      'fixture: SIGNET_ISSUER: is required',
      'fixture: SIGNET_NOPE: is not a setting; remove it',
      'fixture: SIGNET_PORT: must be a whole number from 1 to 65535',
    ])
  })

  it('prints a start failure as one line and exits with 1', async () => {
    const { code, err } = await run('unreachable').ended
    expect([code, err]).toEqual([1, 'fixture: postgres does not answer at db:5432; is it running?\n'])
  })

  it('prints the stack of a defect and exits with 1', async () => {
    const { code, err } = await run('defective').ended
    expect(code).toBe(1)
    expect(err).toMatch(/^fixture: TypeError: a defect\n\s+at /)
  })

  it('stops its resources when an error occurs after the start', async () => {
    const { code, out, err } = await run('crashing').ended
    expect([code, out]).toEqual([1, 'started\nstopped\n'])
    expect(err).toContain('a late defect')
  })

  it('gives up at the deadline', async () => {
    const { child, started, ended } = run('stuck')
    await started
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 1, err: 'fixture: did not stop within 0.3 seconds\n' })
  })

  it('can be stopped before it has started', async () => {
    const { child, started, ended } = run('slow')
    await started
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, err: '' })
  })
})
