// `pnpm --filter @signet/cli generate`: writes src/api/gen from the OpenAPI document of the directory, and the code of the quick
// starts, which `signet app add` writes.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTypescript, { astToString } from 'openapi-typescript'

const DOCUMENT = new URL('../../directory/openapi.json', import.meta.url)
const GENERATED = new URL('../src/api/gen/', import.meta.url)
const HEAD =
  '// Generated from the OpenAPI document of the management API; see scripts/generate-client.mjs.\n'

const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
// Exports, imports, jobs and keys have commands of their own.
document.paths = Object.fromEntries(
  Object.entries(document.paths).filter(
    ([path]) => !path.startsWith('/admin/v1/') && !path.startsWith('/management/v1/keys'),
  ),
)

/** `value` with every reference replaced by its target. */
function resolved(value, depth = 0) {
  if (depth > 50) throw new Error('a schema of a request refers to itself')
  if (Array.isArray(value)) return value.map((item) => resolved(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  if (typeof value.$ref === 'string') {
    const target = value.$ref
      .split('/')
      .slice(1)
      .reduce((found, key) => found[key], document)
    return resolved(target, depth + 1)
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolved(member, depth + 1)]))
}

/** Paths of the fields of an item, for the columns of a list: `userName`, `email.address`. */
function fieldPaths({ oneOf, properties }, parent = '') {
  if (oneOf) return [...new Set(oneOf.flatMap((alternative) => fieldPaths(alternative, parent)))]
  return Object.entries(properties ?? {}).flatMap(([name, schema]) =>
    schema.properties === undefined ? `${parent}${name}` : fieldPaths(schema, `${parent}${name}.`),
  )
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const {
      operationId: id,
      summary,
      description,
      parameters = [],
      requestBody,
      responses,
    } = resolved(operation)
    const body = requestBody?.content['application/json']
    const list = responses['200']?.content?.['application/json']?.schema.properties?.items?.items
    return {
      id,
      method: method.toUpperCase(),
      path,
      summary,
      ...(description && { description }),
      parameters: parameters.map(({ name, in: place, required, description, schema }) => ({
        name,
        in: place,
        required,
        schema,
        ...(description && { description }),
      })),
      ...(list && { itemFields: fieldPaths(list) }),
      ...(body && { body: { schema: body.schema, example: body.example } }),
    }
  }),
)

mkdirSync(GENERATED, { recursive: true })
writeFileSync(new URL('schema.ts', GENERATED), HEAD + astToString(await openapiTypescript(document)))
writeFileSync(
  new URL('operations.ts', GENERATED),
  `${HEAD}import type { Operation } from '../operation.ts'
import type { operations } from './schema.ts'

/** Every operation of the management API by its operationId. */
export const OPERATIONS: Readonly<Record<keyof operations, Operation>> = ${JSON.stringify(
    Object.fromEntries(operations.map((operation) => [operation.id, operation])),
    null,
    2,
  )}
`,
)

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url))
/** The folders whose files a quick start has a reader save. */
const QUICK_STARTS = ['express', 'flask', 'django', 'react', 'vue', 'nextjs', 'go', 'spring']

/** The files below a folder, but for libraries and the manifest of this workspace. */
function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (['node_modules', 'package.json', 'target'].includes(entry.name)) return []
    return entry.isDirectory() ? filesOf(path) : [path]
  })
}

const texts = QUICK_STARTS.map((name) => {
  const folder = join(EXAMPLES, name)
  const files = filesOf(folder).sort()
  return [
    name,
    Object.fromEntries(
      files.map((file) => [relative(folder, file).split(sep).join('/'), readFileSync(file, 'utf8')]),
    ),
  ]
})

writeFileSync(
  new URL('quick-start-files.ts', GENERATED),
  `// Generated from examples/; see scripts/generate-client.mjs.

/** The files of each quick start, by their paths in the folder of the application. */
export const QUICK_START_FILES = ${JSON.stringify(Object.fromEntries(texts), null, 2)} as const satisfies Readonly<
  Record<string, Readonly<Record<string, string>>>
>
`,
)
