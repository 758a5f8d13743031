import { parseDocument } from 'yaml'
import type { z } from 'zod'
import { camelKeys } from './camel-keys.ts'
import { duplicateProblems } from './check-duplicates.ts'
import { openReferences, type Reference } from './check-references.ts'
import { ruleProblems } from './check-rules.ts'
import { readOutline } from './outline.ts'
import { type BootstrapFile, bootstrapFileSchema } from './schema/bootstrap-file.ts'
import type { ExpandSecret } from './schema/secret-field.ts'

/** A file as far as it can be judged without the database: `file` only when it has no problem. */
export interface ReadBootstrap {
  readonly file: BootstrapFile | undefined
  readonly problems: readonly string[]
  /** To be looked up in the database. */
  readonly openReferences: readonly Reference[]
}

/** The value that a YAML or JSON text stands for, or its syntax errors with line and column. */
export function parseText(
  text: string,
): { readonly document: unknown } | { readonly problems: readonly string[] } {
  const parsed = parseDocument(text, { uniqueKeys: true, prettyErrors: true })
  if (parsed.errors.length === 0) return { document: parsed.toJS({ maxAliasCount: 100 }) ?? {} }
  return { problems: parsed.errors.map(({ message }) => message.split('\n')[0] ?? 'is not YAML') }
}

/** Checks a document whole and names every problem with its path. */
export function readBootstrap(document: unknown, expand: ExpandSecret): ReadBootstrap {
  const keyProblems: string[] = []
  const camel = camelKeys(document, keyProblems)
  const strict = bootstrapFileSchema(expand).safeParse(camel)
  const outline = readOutline(camel, expand)
  const problems = [
    ...keyProblems,
    ...(strict.success ? [] : strict.error.issues.flatMap((issue) => issueProblems(issue, []))),
    ...duplicateProblems(outline),
    ...ruleProblems(outline),
  ]
  return {
    file: strict.success && problems.length === 0 ? strict.data : undefined,
    problems,
    openReferences: openReferences(outline),
  }
}

type Path = readonly PropertyKey[]

function issueProblems(issue: z.core.$ZodIssue, parent: Path): string[] {
  const path = [...parent, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${written([...path, key])}: unknown key`)
  if (issue.code === 'invalid_union')
    return issue.errors.at(-1)?.flatMap((nested) => issueProblems(nested, path)) ?? []
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return [`${written(path)}: ${missing ? 'is required' : issue.message}`]
}

/** `organizations[0].users[1].email` */
function written(path: Path): string {
  if (path.length === 0) return '(file)'
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}
