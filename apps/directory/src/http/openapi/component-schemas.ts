import { z } from 'zod'
import type { Operation } from '../operation.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

interface ComponentSchemas {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** A reference to one of them. */
  reference(schema: z.ZodType): JsonSchema
}

const REFERENCE = '#/components/schemas/'

/** The bodies of all operations, each under a name: its own, or one made of the operation's id. */
export function componentSchemas(operations: readonly Operation[]): ComponentSchemas {
  const registry = z.registry<{ id: string }>()
  const add = (schema: z.ZodType | undefined, otherwise: string) => {
    if (schema === undefined || registry.has(schema)) return
    registry.add(schema, { id: z.globalRegistry.get(schema)?.id ?? otherwise })
  }
  for (const { id, request, response } of operations) {
    add(request, `${pascalCase(id)}Request`)
    add(response, `${pascalCase(id)}Answer`)
  }
  // The side of the wire: a time is text there, and what has a default may be left out.
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `${REFERENCE}${id}`,
    override: legible,
  })
  return {
    schemas: hoisted(schemas),
    reference: (schema) => ({ $ref: `${REFERENCE}${registry.get(schema)?.id}` }),
  }
}

/**
 * zod puts shared schemas without a registered body into `__shared.$defs`; this moves them beside the others.
 */
function hoisted({ __shared: shared, ...schemas }: Readonly<Record<string, JsonSchema>>) {
  const drawer = (shared?.$defs ?? {}) as Readonly<Record<string, JsonSchema>>
  const all = Object.entries({ ...schemas, ...drawer }).map(([id, schema]) => [id, plain(schema)])
  const text = JSON.stringify(Object.fromEntries(all)).replaceAll(`${REFERENCE}__shared#/$defs/`, REFERENCE)
  return JSON.parse(text) as Readonly<Record<string, JsonSchema>>
}

/** The schema of a parameter. */
export function parameterSchema(schema: z.core.$ZodType): JsonSchema {
  const { description: _, examples: __, ...rest } = plain(z.toJSONSchema(schema, { io: 'input' }))
  return rest
}

/** A pattern for what the format says already, and a mark that only concerns our own types, help no reader. */
function legible({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  delete jsonSchema.readOnly
}

/** Without what only a schema that stands alone says of itself. */
function plain({ $schema: _, $id: __, id: ___, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** `user.set_password`: `UserSetPassword`. */
function pascalCase(id: string): string {
  return id.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
