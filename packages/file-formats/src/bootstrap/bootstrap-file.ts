import { type Document, parseDocument } from 'yaml'

/** A document with lowerCamelCase keys and its secrets in it, not checked any further. */
export interface PreparedDocument {
  readonly document: unknown
  readonly problems: readonly FileProblem[]
}

export function prepareDocument(written: unknown, expand: ExpandSecret): PreparedDocument {
  const problems: FileProblem[] = []
  const document = expandSecrets(camelKeys(written, problems), expand, problems)
  return { document, problems }
}

type Parsed = { readonly document: unknown } | { readonly problems: readonly string[] }

/** The value that a YAML or JSON text stands for, or its syntax errors with line and column. */
export function parseFileText(text: string): Parsed {
  const parsed = parseDocument(text, { uniqueKeys: true, prettyErrors: true })
  if (parsed.errors.length === 0) return followedValue(parsed, text.includes('*'))
  return { problems: parsed.errors.map(({ message }) => message.split('\n')[0] ?? 'is not YAML') }
}

/** The value of a document, or a problem of aliases without an anchor, of a value that has itself in it, or of more values than a file can mean. */
function followedValue(parsed: Document.Parsed, mayHaveAliases: boolean): Parsed {
  try {
    const document: unknown = parsed.toJS({ maxAliasCount: 100 }) ?? {}
    if (mayHaveAliases) JSON.stringify(document)
    return { document }
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof TypeError)) throw error
    const [reason] = error.message.split('\n')
    return { problems: [`has aliases that cannot be followed: ${reason}`] }
  }
}

/**
 * The same value with lowerCamelCase keys at every depth. A key written both ways in one object is reported by path.
 */
function camelKeys(value: unknown, problems: FileProblem[], path = ''): unknown {
  if (Array.isArray(value))
    return value.map((entry, index) => camelKeys(entry, problems, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  const result: Record<string, unknown> = {}
  for (const [written, member] of Object.entries(value)) {
    const key = written.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    const at = memberPath(path, key)
    if (Object.hasOwn(result, key)) problems.push({ path: at, rule: 'is given twice, also in snake_case' })
    result[key] = isOpaque(key) ? member : camelKeys(member, problems, at)
  }
  return result
}

/**
 * Replaces the reference to a secret with its value, or explains the failure in `problem`; a secret is never part of
 * a problem.
 */
export type ExpandSecret = (text: string) => { readonly value: string } | { readonly problem: string }

/** The members, wherever they stand, in which `${ENV_NAME}` and `file:///path` are references. */
const SECRETS = new Set(['password', 'passwordHash', 'totpSecret', 'clientSecret', 'token'])

export const isSecretMember = (name: string): boolean => SECRETS.has(name)

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The same value, its keys in lowerCamelCase, with its secrets expanded; those that cannot be stay as they are. */
function expandSecrets(value: unknown, expand: ExpandSecret, problems: FileProblem[], path = ''): unknown {
  if (Array.isArray(value))
    return value.map((entry, index) => expandSecrets(entry, expand, problems, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => {
    const at = memberPath(path, key)
    if (isOpaque(key)) return [key, member]
    if (!isSecretMember(key) || typeof member !== 'string')
      return [key, expandSecrets(member, expand, problems, at)]
    const expanded = expand(member)
    if ('value' in expanded) return [key, expanded.value]
    problems.push({ path: at, rule: expanded.problem })
    return [key, member]
  })
  return Object.fromEntries(members)
}

/** Expands from an environment and a file system. Files lose the line break at their end. */
export function createSecretExpansion(
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

/** A problem of a bootstrap file and its path: `organizations[0].users[1].email`. */
export interface FileProblem {
  readonly path: string
  readonly rule: string
}

export function problemText({ path, rule }: FileProblem): string {
  return `${path}: ${rule}`
}

/** Members whose keys belong to the author of the file. */
const OPAQUE = new Set([
  'authorizationDetailTypes',
  'claimMapping',
  'crossAppAccess',
  'metadata',
  'publicKeyJwk',
  'requiredClaims',
])

const isOpaque = (key: string): boolean => OPAQUE.has(key)

const memberPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
