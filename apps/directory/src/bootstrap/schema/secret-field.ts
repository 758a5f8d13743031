import { z } from 'zod'

/** Replaces what a secret refers to, or says in `problem` why it cannot; a secret never stands in a problem. */
export type ExpandSecret = (text: string) => { readonly value: string } | { readonly problem: string }

/** A string in which `${ENV_NAME}` and `file:///path` are expanded before anything else is checked. */
export function secretField(expand: ExpandSecret) {
  return z.string().transform((written, context) => {
    const expanded = expand(written)
    if ('value' in expanded) return expanded.value
    context.addIssue({ code: 'custom', message: expanded.problem })
    return z.NEVER
  })
}

/** Expands from an environment and a file system. Files lose the line break at their end. */
export function secretExpansion(
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (url: URL) => string,
): ExpandSecret {
  return (written) => {
    if (written.startsWith('file:///')) return fromFile(written, readFile)
    const missing: string[] = []
    const value = written.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
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
