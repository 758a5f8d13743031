import { readFileSync } from 'node:fs'

// USER_HZ, which Linux has fixed for programs however the kernel counts.
const TICKS_PER_SECOND = 100

/** Seconds of CPU that processes have used so far, threads included; NaN where there is no /proc. */
export function cpuSecondsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}

function cpuSeconds(pid: number): number {
  const text = readProc(pid, 'stat')
  // The name in parentheses may hold blanks; utime and stime are the 12th and 13th field after it.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident bytes of processes together, now or at their most; NaN where there is no /proc. */
export function residentBytesOf(pids: readonly number[], line: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  return pids.reduce((sum, pid) => {
    const kibibytes = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readProc(pid, 'status') ?? '')?.[1]
    return sum + Number(kibibytes ?? Number.NaN) * 1024
  }, 0)
}

function readProc(pid: number, file: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  return readFileSync(`/proc/${pid}/${file}`, 'utf8')
}
