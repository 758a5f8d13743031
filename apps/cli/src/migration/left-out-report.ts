import { appendFileSync, closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { LeftOut, LeftOutKind } from '@signet/file-formats/sources/left-out'
import type { Effect } from '@signet/file-formats/sources/left-out-advice'
import { createReadFailure } from '../context.ts'
import { onOneLine } from '../output.ts'

const EFFECTS: readonly (readonly [effect: Effect, title: string])[] = [
  ['sign-in', 'people or applications cannot sign in as before:'],
  ['claims', 'tokens have other claims than before:'],
]
const MOST_SETTINGS_NAMED = 20
const MOST_APPLICATIONS_SHOWN = 50

/**
 * The lines about values that were left out: a line for each kind, most frequent first, kinds that prevent a sign-in before the
 * others; then the tasks of each application.
 */
export function leftOutLines(leftOut: Pick<LeftOut, 'kinds' | 'tasks'>): readonly string[] {
  const kinds = [...leftOut.kinds()].sort((a, b) => b.count - a.count)
  if (kinds.length === 0) return ['everything has a counterpart']
  const lines = EFFECTS.flatMap(([effect, title]) => {
    const ofEffect = kinds.filter((kind) => kind.effect === effect)
    return ofEffect.length === 0 ? [] : [title, ...ofEffect.map(kindLine)]
  })
  const settings = kinds.filter(({ effect }) => effect === 'settings')
  if (settings.length > 0) lines.push(settingsLine(settings))
  const tasks = leftOut.tasks()
  const shown = tasks.slice(0, MOST_APPLICATIONS_SHOWN)
  if (tasks.length > 0) lines.push('to do for each application:')
  lines.push(...shown.map(({ application, tasks }) => `  ${application}: ${tasks.join('; ')}`))
  if (tasks.length > shown.length) {
    lines.push(`  and ${tasks.length - shown.length} more applications: --left-out FILE names all`)
  }
  return lines.map(onOneLine)
}

/** All settings in one line: every export has many of them. */
function settingsLine(kinds: readonly LeftOutKind[]): string {
  const values = kinds.reduce((sum, { count }) => sum + count, 0)
  const named = kinds.slice(0, MOST_SETTINGS_NAMED).map(({ kind }) => kind)
  const more = kinds.length > named.length ? ', …; --left-out FILE names all' : ''
  return `${values} other values without a counterpart here, or against a rule: ${named.join(', ')}${more}`
}

function kindLine({ kind, count, examples }: LeftOutKind): string {
  const more = count > examples.length ? ', …' : ''
  return `  ${count} × ${kind}${examples.length === 0 ? '' : ` (${examples.join(', ')}${more})`}`
}

const FLUSH_LINES_CHARACTERS = 65_536

/** Adds lines to the file of `--left-out`, or makes it, readable by the user alone. */
export function appendLines(path: string, lines: readonly string[]): void {
  try {
    appendFileSync(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  } catch (error) {
    createReadFailure(path, '--left-out: ')(error as NodeJS.ErrnoException)
  }
}

/** A new file of lines, which only the user can read. Replaces an existing one. Disposing writes the rest. */
export function openLines(path: string) {
  let file: number
  try {
    rmSync(path, { force: true })
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    return createReadFailure(path, '--left-out: ')(error as NodeJS.ErrnoException)
  }
  let text = ''
  const flush = () => {
    writeSync(file, text)
    text = ''
  }
  return {
    append(line: string): void {
      text += `${line}\n`
      if (text.length >= FLUSH_LINES_CHARACTERS) flush()
    },
    [Symbol.dispose](): void {
      flush()
      closeSync(file)
    },
  }
}
