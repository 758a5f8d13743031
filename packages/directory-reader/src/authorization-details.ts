// Rich Authorization Requests (RFC 9396): finds the types of the details that a client asks for, and validates them.

import { Validator } from '@cfworker/json-schema'
import type { DetailType, JsonSchema } from '@signet/protocol/authorization-detail-types'
import {
  type AuthorizationDetail,
  detailRefusal,
  type GrantedDetail,
  isObject,
  parseAuthorizationDetails,
} from '@signet/protocol/authorization-details'
import type { DirectoryReader } from './directory-reader.ts'
import type { AudienceAsker } from './project-access.ts'
import type { Project } from './views.ts'

export type DetailDirectory = Pick<DirectoryReader, 'allowsAudience' | 'project' | 'projectOfDetailType'>

/**
 * Reads the details that a client asks for, each with the project that defines its type. Throws InvalidAuthorizationDetailsError
 * (RFC 9396 section 5) for a type that no project defines or whose project does not let the client name it, in the same words,
 * for a detail that breaks the schema of its type, and for locations that are not the API of its project.
 */
export async function requireDetails(
  directory: DetailDirectory,
  client: Pick<AudienceAsker, 'clientId' | 'organizationId'>,
  text: string,
): Promise<readonly GrantedDetail[]> {
  const details = parseAuthorizationDetails(text)
  const found = await Promise.all(details.map(({ type }) => findType(directory, client, type)))
  return details.map((detail, index) => {
    const definition = found[index]
    if (definition === undefined)
      throw detailRefusal('detail_type_unknown', 'is not a type that this client may ask for', {
        index,
        member: '.type',
      })
    requireValid(detail, index, definition)
    return { projectId: definition.project.projectId, detail }
  })
}

/** The type of a detail that was granted; undefined where its project has it no longer. */
export async function findDetailType(
  directory: Pick<DetailDirectory, 'project'>,
  { projectId, detail }: GrantedDetail,
): Promise<DetailType | undefined> {
  const project = await directory.project(projectId)
  return project && ownType(project, detail.type)
}

interface Definition {
  readonly project: Project
  readonly type: DetailType
}

async function findType(
  directory: DetailDirectory,
  client: Pick<AudienceAsker, 'clientId' | 'organizationId'>,
  name: string,
): Promise<Definition | undefined> {
  const projectId = await directory.projectOfDetailType(name)
  if (projectId === undefined || !(await directory.allowsAudience(projectId, client))) return undefined
  const project = await directory.project(projectId)
  const type = project && ownType(project, name)
  return project && type && { project, type }
}

const ownType = ({ authorizationDetailTypes: types }: Project, name: string): DetailType | undefined =>
  Object.hasOwn(types, name) ? types[name] : undefined

function requireValid(detail: AuthorizationDetail, index: number, { project, type }: Definition): void {
  const invalid = (rule: string, member = '') => detailRefusal('detail_invalid', rule, { index, member })
  const problem = schemaProblem(detail, type.schema ?? {})
  if (problem !== undefined) throw invalid(problem.rule, problem.member)
  const { locations = [] } = detail
  const isHere = (location: unknown) => project.resourceUri !== null && location === project.resourceUri
  if (!Array.isArray(locations) || !locations.every(isHere))
    throw invalid('may only name the resourceUri of the API of the type', '.locations')
}

/**
 * Returns the innermost member of a detail that breaks the schema of its type. Nothing is compiled, because the schema is that
 * of an organization: the library walks schema and detail, whose sizes are bounded.
 */
function schemaProblem(
  detail: AuthorizationDetail,
  schema: JsonSchema,
): { readonly member: string; readonly rule: string } | undefined {
  // The library marks the objects of a schema.
  const { valid, errors } = new Validator(structuredClone(closed(schema)), '2020-12').validate(detail)
  const innermost = errors.at(-1)
  if (valid || innermost === undefined) return undefined
  const { instanceLocation, keyword } = innermost
  const member = instanceLocation.slice(1).replaceAll('/', '.')
  if (keyword === 'false') return { member, rule: 'is not a member of the type' }
  return { member, rule: `must follow the keyword ${keyword} in the schema of the type` }
}

/** RFC 9396 section 5: a detail with members that its type does not know is refused. */
function closed(schema: JsonSchema): JsonSchema {
  const members = isObject(schema.properties) ? schema.properties : {}
  return {
    additionalProperties: false,
    ...schema,
    properties: { locations: { type: 'array', minItems: 1 }, ...members, type: { type: 'string' } },
  }
}
