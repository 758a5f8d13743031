// npm runs a script through a shell, and neither passes a SIGTERM on; killed, they pass on nothing at all.
// So a command that npm started watches whether npm is still there.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const HAS_PROC = existsSync('/proc/self/stat')
// Without /proc every look costs a process.
const POLL_MS = HAS_PROC ? 200 : 1_000
const SHELL = /(^|\/)-?(sh|bash|dash|ash|zsh|ksh|busybox)$/

/**
 * Calls `gone` once when npm, or the shell between npm and this process, has ended. Does nothing when this
 * process was not started by npm: then its parent is somebody's terminal, which may be closed.
 * @param {() => void} gone
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function watchAncestors(gone, env) {
  if (!env.npm_lifecycle_event) return
  const parent = process.ppid
  // A shell that replaces itself with its last command leaves npm as the parent.
  const grandparent = SHELL.test(programName(parent)) ? parentOf(parent) : undefined
  const timer = setInterval(() => {
    if (process.ppid === parent && (grandparent === undefined || parentOf(parent) === grandparent)) return
    clearInterval(timer)
    gone()
  }, POLL_MS)
  timer.unref()
}

/** @param {number} pid */
function parentOf(pid) {
  if (!HAS_PROC) return Number(ps('ppid=', pid))
  try {
    // The name in brackets may hold anything, so the fields are counted from the last bracket.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}

/** @param {number} pid */
function programName(pid) {
  if (!HAS_PROC) return ps('comm=', pid)
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

/** @param {string} field @param {number} pid */
function ps(field, pid) {
  return (spawnSync('ps', ['-o', field, '-p', `${pid}`], { encoding: 'utf8' }).stdout ?? '').trim()
}
