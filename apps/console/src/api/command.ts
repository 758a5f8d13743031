import { stringify } from 'yaml'
import type { Operation, Schema } from './description.ts'
import { isMap } from './maps.ts'

/** The values that a form has: of the path, of the query and of the body. */
export interface FormValues {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** Returns the command that does the same as a form. Secrets come from a file: a shell keeps its commands. */
export function commandOf(operation: Operation, { path, query, body }: FormValues): string {
  const own = COMMANDS[operation.id]
  const words = own === undefined ? operation.id.split('.').map((word) => word.replaceAll('_', '-')) : [own]
  const places = operation.parameters.filter((parameter) => parameter.in === 'path')
  const args = places.map(({ name }) => (path[name] === undefined ? `<${name}>` : quoted(path[name])))
  const options = Object.entries(query).map(([name, value]) => `--${kebab(name)} ${quoted(value)}`)
  const entries = assignments(body, operation.body)
  const hasSecret = entries.some(([name, value]) => SECRET.test(name) && value !== 'null')
  if (own !== undefined) {
    // These commands have an option for each member.
    const flags = entries.map(([name, value]) =>
      value === 'true' ? `--${kebab(name)}` : `--${kebab(name)} ${quoted(value)}`,
    )
    return ['signet', ...words, ...args, ...flags].join(' ')
  }
  const sets = hasSecret
    ? ['--file body.yaml']
    : entries.map(([name, value]) => `--set ${quoted(`${name}=${value}`)}`)
  return ['signet', ...words, ...args, ...options, ...sets].join(' ')
}

/** The commands of operations that are not made of the description of the API. */
const COMMANDS: Readonly<Record<string, string>> = {
  'migration.export': 'export',
  'migration.import': 'import',
  'impersonation.create': 'user impersonate',
  'job.list': 'jobs list',
  'job.read': 'jobs show',
  'job.events': 'jobs events',
  'job.report': 'jobs report',
  'job.rejects': 'jobs rejects',
  'job.left_out': 'jobs left-out',
  'job.cancel': 'jobs cancel',
  'job.resume': 'jobs resume',
  'job.apply': 'import apply',
  'job.rehearse': 'import rehearse',
  'job.undo': 'import undo',
  'keys.read': 'keys list',
  'keys.rotate': 'keys rotate',
  'keys.rewrap': 'keys rewrap',
  'key.revoke': 'keys revoke',
}

const SECRET = /password|secret/i
/** The place of a secret in a file, which `signet apply` takes from its environment. */
const SECRET_PLACE = `\${CLIENT_SECRET}`

/** The lists of the bootstrap file that hold the objects of an operation, outermost first. */
const DECLARED: Readonly<Record<string, readonly string[]>> = {
  organization: ['organizations'],
  project: ['organizations', 'projects'],
  application: ['organizations', 'projects', 'applications'],
  user: ['organizations', 'users'],
  service_user: ['organizations', 'serviceUsers'],
  identity_provider: ['organizations', 'identityProviders'],
  project_role: ['organizations', 'projects', 'roles'],
}

/** Returns what declares the same for `signet apply`; undefined for acts, which a file does not declare. */
export function declarationOf(operation: Operation, { path, body }: FormValues): string | undefined {
  const [resource = '', verb = ''] = operation.id.split('.')
  const place = DECLARED[resource]
  if (place === undefined || !['create', 'add', 'update'].includes(verb)) return undefined
  const { organizationId, projectId, password, clientSecret, ...members } = body
  const secret = typeof clientSecret === 'string' ? { clientSecret: SECRET_PLACE } : {}
  const owner: Readonly<Record<string, unknown>> = {
    organizations: organizationId ?? path.organizationId,
    projects: projectId ?? path.projectId,
  }
  const own = { ...(path[idOf(resource)] && { id: path[idOf(resource)] }), ...members, ...secret }
  const document = place.reduceRight<unknown>((inner, list, depth) => {
    if (depth === place.length - 1) return { [list]: [inner] }
    return { [list]: [{ id: owner[list] ?? `<${list}>`, ...(inner as object) }] }
  }, own)
  return stringify(document)
}

const idOf = (resource: string) => IDS[resource] ?? `${resource}Id`
const IDS: Readonly<Record<string, string>> = {
  user: 'userId',
  service_user: 'userId',
  identity_provider: 'providerId',
}

function assignments(body: object, schema: Schema = {}, prefix = ''): readonly (readonly [string, string])[] {
  return Object.entries(body).flatMap(([name, value]): (readonly [string, string])[] => {
    const field = prefix + name
    const member = schema.properties?.[name]
    if (Array.isArray(value)) {
      const isPlain = value.every((entry) => typeof entry === 'string' && !entry.includes(','))
      return [[field, isPlain ? value.join(',') : JSON.stringify(value)]]
    }
    if (typeof value !== 'object' || value === null) return [[field, String(value)]]
    // The names of a map may have dots, and an empty object has no member to set.
    if (isMap(member) || Object.keys(value).length === 0) return [[field, JSON.stringify(value)]]
    return [...assignments(value, member, `${field}.`)]
  })
}

/** Returns the request that a form sends. */
export const requestOf = ({ method, path: template, body }: Operation, values: FormValues) => ({
  method,
  path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.path[name] ?? '')),
  query: values.query,
  ...(body !== undefined && { body: values.body }),
})

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Quotes a word for a POSIX shell. Every command that the console shows takes its values from here. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Quotes the name of a file, which a command would read as an option where it begins with a hyphen. */
export const quotedFile = (name: string): string => quoted(name.startsWith('-') ? `./${name}` : name)
