import type { FileProblem } from './file-problem.ts'
import { isOpaque, memberPath } from './member-path.ts'

/**
 * Replaces the reference to a secret with its value, or explains the failure in `problem`; a secret is never part of
 * a problem.
 */
export type ExpandSecret = (text: string) => { readonly value: string } | { readonly problem: string }

/** The members, wherever they stand, in which `${ENV_NAME}` and `file:///path` are references. */
const SECRETS = new Set(['password', 'passwordHash', 'totpSecret', 'clientSecret', 'token'])

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The same value, its keys in lowerCamelCase, with its secrets expanded; those that cannot be stay as they are. */
export function expandSecrets(
  value: unknown,
  expand: ExpandSecret,
  problems: FileProblem[],
  path = '',
): unknown {
  if (Array.isArray(value))
    return value.map((entry, index) => expandSecrets(entry, expand, problems, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => {
    const at = memberPath(path, key)
    if (isOpaque(key)) return [key, member]
    if (!SECRETS.has(key) || typeof member !== 'string')
      return [key, expandSecrets(member, expand, problems, at)]
    const expanded = expand(member)
    if ('value' in expanded) return [key, expanded.value]
    problems.push({ path: at, rule: expanded.problem })
    return [key, member]
  })
  return Object.fromEntries(members)
}

/** Expands from an environment and a file system. Files lose the line break at their end. */
export function secretExpansion(
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (url: URL) => string,
): ExpandSecret {
  return (written) => {
    if (written.startsWith('file:///')) return fromFile(written, readFile)
    const missing: string[] = []
    const value = written.replace(VARIABLE, (_, name: string) => {
      const found = environment[name]
      if (found === undefined || found === '') missing.push(name)
      return found ?? ''
    })
    return missing.length === 0
      ? { value }
      : { problem: `needs the environment variable ${missing.join(', ')}` }
  }
}

function fromFile(url: string, readFile: (url: URL) => string): ReturnType<ExpandSecret> {
  try {
    return { value: readFile(new URL(url)).replace(/\r?\n$/, '') }
  } catch (error) {
    const { code = 'not a file URL' } = error as NodeJS.ErrnoException
    return { problem: `cannot read ${url} (${code})` }
  }
}
