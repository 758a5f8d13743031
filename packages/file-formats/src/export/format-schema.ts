import { z } from 'zod'
import { documentMeta } from './document-reader.ts'
import { LIST_NAMES, shapeOf } from './lists.ts'
import { MEMBER_TREATMENTS } from './members.ts'
import { organizationHeader } from './organization-header.ts'

/** A JSON Schema, as far as zod makes it of the format. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

const schemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // The pattern says what the format says already.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  }) as JsonSchema

/** The schema of the records of each list, and of the fields of an organization itself. */
export const RECORD_SCHEMAS: Readonly<Record<keyof typeof MEMBER_TREATMENTS, JsonSchema>> = {
  organization: schemaOf(organizationHeader),
  ...(Object.fromEntries(LIST_NAMES.map((list) => [list, schemaOf(shapeOf(list).schema)])) as Record<
    (typeof LIST_NAMES)[number],
    JsonSchema
  >),
}

export interface FormatMember {
  readonly path: string
  readonly schema: JsonSchema
  /** Whether its object must have it. */
  readonly isRequired: boolean
}

/** Every member of a record that is no object of known members itself; `*` for members that are not interpreted. */
export function membersOf(schema: JsonSchema, path = '', isRequired = true): readonly FormatMember[] {
  const { properties, items, required = [], additionalProperties } = schema
  if (items?.properties !== undefined) return membersOf(items, `${path}[]`)
  if (properties === undefined) return [{ path, schema, isRequired }]
  const own = Object.entries(properties).flatMap(([name, member]) =>
    membersOf(member, path === '' ? name : `${path}.${name}`, required.includes(name)),
  )
  const isOpen = typeof additionalProperties === 'object' && path === ''
  return isOpen ? [...own, { path: '*', schema: {}, isRequired: false }] : own
}

/** The JSON Schema of an export document, as the text of `export-document.schema.json`. */
export function exportDocumentSchema(): string {
  const { organization, ...lists } = RECORD_SCHEMAS
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Signet export document',
    description:
      'An import also reads names of members in snake_case, numbers of enums, and members that are not named here, which it leaves out and counts.',
    type: 'object',
    required: ['orgs'],
    properties: {
      orgs: {
        type: 'array',
        items: {
          ...plain(organization),
          properties: {
            ...organization.properties,
            ...Object.fromEntries(
              Object.entries(lists).map(([list, schema]) => [list, { type: 'array', items: plain(schema) }]),
            ),
          },
        },
      },
      meta: plain(schemaOf(documentMeta)),
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Removes the member that only a schema that stands alone has. */
function plain(schema: JsonSchema): object {
  const { $schema: _, ...rest } = schema as { readonly $schema?: string }
  return rest
}

/** The page of all members with their treatments, as the text of `export-members.md`. */
export function exportMembersPage(): string {
  const sections = Object.entries(RECORD_SCHEMAS).map(([list, schema]) => {
    const treatments = MEMBER_TREATMENTS[list as keyof typeof MEMBER_TREATMENTS]
    const rows = membersOf(schema).map(({ path, schema: member, isRequired }) => {
      const treatment = treatments[path]
      if (treatment === undefined) throw new Error(`${list}.${path} has no row`)
      const kind =
        treatment.option === undefined ? treatment.kind : `${treatment.kind} with \`${treatment.option}\``
      const cells = [`\`${path}\`${isRequired ? '' : '?'}`, rulesOf(member), kind, treatment.text ?? '']
      return `| ${cells.join(' | ')} |`
    })
    const title = list === 'organization' ? 'The organization itself' : `\`${list}\``
    return [
      `## ${title}`,
      '',
      '| member | value | becomes | remark |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n')
  })
  return `${INTRODUCTION}\n${sections.join('\n')}`
}

const INTRODUCTION = `# Members of the export format

Each member that an import reads, and its value in the next export of the instance that read it: \`kept\`, \`changed\`, or
\`left out\`. A question mark: the member may be absent from its object. An export leaves out values that are false, zero or
empty, except in policies, and an import that creates the object reads absent ones as such values. An update leaves a member
that is absent as it is. Values of policies that Signet does not support are kept, and
named in a note.

A value that breaks the rule of the management API for its member, such as a link with another scheme than http or https, is left
out and reported, and the record is imported without it. So is a placeholder of a deployment (\`\${NAME}\`,
\`$(NAME)\`, \`##NAME##\`, \`@@NAME@@\`, <code v-pre>{{NAME}}</code>) in any member; texts of pages, messages and links of policies may hold
variables such as <code v-pre>{{.Lang}}</code>, and scripts of actions are not looked at. A record that cannot do without the value, or that is
known by it, fails with the rule. [The export format](export-format.md) says how a document is built.

This page is generated from the schemas of the import: \`pnpm --filter @signet/file-formats generate:format\`.
`

/** The rules of a value in few words. */
function rulesOf({ type, anyOf, enum: names, format, items, ...rules }: JsonSchema): string {
  if (names !== undefined) return names.map((name) => `\`${name}\``).join(', ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(rulesOf))].join(' or ')
  if (type === 'array') {
    const most = rules.maxItems === undefined ? '' : `, at most ${rules.maxItems}`
    return `list of ${items === undefined ? 'values' : rulesOf(items)}${most}`
  }
  if (format === 'date-time') return 'time'
  if (type === 'integer') return 'whole number'
  if (type === 'string') {
    const { minLength = 0, maxLength } = rules
    return maxLength === undefined ? 'text' : `text of ${minLength} to ${maxLength} characters`
  }
  return type ?? 'any value'
}
