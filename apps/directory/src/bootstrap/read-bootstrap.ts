import {
  type ExpandSecret,
  type FileProblem,
  isSecretMember,
  prepareDocument,
} from '@signet/file-formats/bootstrap/bootstrap-file'
import {
  isSample,
  PLACEHOLDER_RULE,
  placeholderPaths,
  SAMPLE_RULE,
  type ValuePath,
  withoutVariables,
} from '@signet/protocol/placeholder'
import type { z } from 'zod'
import { type BootstrapFile, bootstrapFileSchema } from './bootstrap-file.ts'
import { duplicateProblems, openReferences, type Reference, ruleProblems } from './check-file.ts'
import { readOutline } from './outline.ts'

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
  const named = new Set(problems.map(({ path }) => path))
  problems.push(...unfilledProblems(document).filter(({ path }) => !named.has(path)))
  return {
    file: strict.success && problems.length === 0 ? strict.data : undefined,
    problems,
    openReferences: openReferences(outline),
  }
}

/** Values that the deployment should have filled in, and secrets that each reader of the file knows. */
function unfilledProblems(document: unknown): readonly FileProblem[] {
  const isPolicyLink = (path: ValuePath) => path.at(-2) === 'privacyPolicy'
  const placeholders = placeholderPaths(document, (text, path) =>
    isPolicyLink(path) ? withoutVariables(text) : text,
  )
  return [
    ...placeholders.map((path) => ({ path: written(path), rule: `is a ${PLACEHOLDER_RULE}` })),
    ...secretsIn(document).flatMap(({ path, text }) =>
      isSample(text) ? [{ path: written(path), rule: `is a ${SAMPLE_RULE}` }] : [],
    ),
  ]
}

function secretsIn(
  value: unknown,
  path: ValuePath = [],
): readonly { readonly path: ValuePath; readonly text: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const at = [...path, Array.isArray(value) ? Number(name) : name]
    if (typeof member !== 'string') return secretsIn(member, at)
    return isSecretMember(name) ? [{ path: at, text: member }] : []
  })
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
