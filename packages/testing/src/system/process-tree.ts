import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const WATCH_MS = 50

/** Returns the processes that a process started, directly or not, as far as they are still its descendants. */
export async function descendantsOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid='])
  const children = new Map<number, number[]>()
  for (const line of stdout.trim().split('\n')) {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number)
    children.set(parent, [...(children.get(parent) ?? []), child])
  }
  const found: number[] = []
  const visit = (parent: number) => {
    for (const child of children.get(parent) ?? []) {
      found.push(child)
      visit(child)
    }
  }
  visit(pid)
  return found
}

/** Returns the processes that still run, with their command lines; an ended one that was not reaped does not count. */
export async function stillRunning(pids: Iterable<number>): Promise<readonly string[]> {
  const list = [...pids].join(',')
  if (list === '') return []
  // ps exits with 1 when it found none.
  const { stdout } = await run('ps', ['-o', 'pid=,stat=,args=', '-p', list]).catch(() => ({ stdout: '' }))
  return stdout.split('\n').filter((line) => line !== '' && !/^\s*\d+\s+Z/.test(line))
}

/** Collects every descendant that a process has at any time until `stop`. */
export function watchDescendants(pid: number): { readonly seen: ReadonlySet<number>; stop(): void } {
  const seen = new Set<number>()
  const look = async () => {
    for (const found of await descendantsOf(pid)) seen.add(found)
  }
  const timer = setInterval(() => void look().catch(() => undefined), WATCH_MS)
  return { seen, stop: () => clearInterval(timer) }
}
