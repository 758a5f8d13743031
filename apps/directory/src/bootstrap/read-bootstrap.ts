import {
  type ExpandSecret,
  type FileProblem,
  prepareDocument,
} from '@signet/file-formats/bootstrap/bootstrap-file'
import type { z } from 'zod'
import { duplicateProblems, openReferences, type Reference, ruleProblems } from './check-file.ts'
import { readOutline } from './outline.ts'
import { type BootstrapFile, bootstrapFileSchema } from './schema/bootstrap-file.ts'

/** A file as far as it can be judged without the database: `file` only when it has no problem. */
export interface ReadBootstrap {
  readonly file: BootstrapFile | undefined
  readonly problems: readonly FileProblem[]
  /** To be looked up in the database. */
  readonly openReferences: readonly Reference[]
}

/** Checks a document whole and names every problem with its path. */
export function readBootstrap(written: unknown, expand: ExpandSecret): ReadBootstrap {
  const { document, problems: unprepared } = prepareDocument(written, expand)
  const strict = bootstrapFileSchema.safeParse(document)
  const outline = readOutline(document)
  // Of a secret that could not be had nothing else can be said.
  const unknown = new Set(unprepared.map(({ path }) => path))
  const problems = [
    ...unprepared,
    ...[
      ...(strict.success ? [] : strict.error.issues.flatMap((issue) => issueProblems(issue, []))),
      ...duplicateProblems(outline),
      ...ruleProblems(outline),
    ].filter(({ path }) => !unknown.has(path)),
  ]
  return {
    file: strict.success && problems.length === 0 ? strict.data : undefined,
    problems,
    openReferences: openReferences(outline),
  }
}

type Path = readonly PropertyKey[]

function issueProblems(issue: z.core.$ZodIssue, parent: Path): FileProblem[] {
  const path = [...parent, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: written([...path, key]), rule: 'unknown key' }))
  if (issue.code === 'invalid_union')
    return issue.errors.at(-1)?.flatMap((nested) => issueProblems(nested, path)) ?? []
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return [{ path: written(path), rule: missing ? 'is required' : issue.message }]
}

/** `organizations[0].users[1].email` */
function written(path: Path): string {
  if (path.length === 0) return '(file)'
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}
