import type { Operation } from '../src/api/operation.ts'
import { OPERATIONS } from '../src/operations.ts'
import { ROLES_OF_LEVEL } from '../src/permissions/member.ts'
import { exampleCall } from './operation-call.ts'

export interface Call {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** The account that the call names in its path. */
  readonly userId: string | undefined
}

/** Ids of objects that the calls before have made. */
export interface Made {
  readonly userId: readonly string[]
  readonly projectId: readonly string[]
  readonly applicationId: readonly string[]
}

type Values = readonly unknown[]

const USERS = ['owner', 'manager', 'viewer', 'shopkeeper', 'nobody', 'expatriate', 'operator', 'robot']
const FOREIGN_USERS = ['carol', 'acme-owner', 'acme-robot', 'deleted-person']

/** Own, foreign, privileged and deleted objects, for each parameter of a path and each id in a body. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  organizationId: ['evil', 'acme', 'deleted-organization'],
  userId: [...USERS, ...FOREIGN_USERS],
  projectId: ['shop', 'desk', 'portal', 'offered', 'deleted-project'],
  applicationId: ['shop-web', 'console', 'first-party', 'portal-web', 'deleted-web'],
  domainName: ['evil.localhost', 'unverified.example', 'acme.localhost'],
  userGrantId: ['carol-portal'],
  tokenId: ['first'],
  keyId: ['k1'],
  trustId: ['cluster'],
  providerId: ['corporate', 'acme-provider'],
  registrationTokenId: ['first'],
  linkId: ['operator-corporate'],
  testId: ['no-test'],
  passkeyId: ['390000000000000001'],
  message: ['password-reset'],
  kind: ['logo'],
  language: ['en'],
  sessionId: ['x1tsmRzXyvBbqSkE5SOzYQ'],
  roleKey: ['admin'],
  key: ['customer_no'],
}

/** Values that a hostile caller would write into a field; other fields keep the value of the example. */
const FIELDS: Readonly<Record<string, Values>> = {
  clientId: ['deleted-client', 'deleted-web-client'],
  userName: ['deleted-client', 'deleted-person'],
  objectId: ['evil', 'acme', 'shop'],
  state: ['inactive', 'active'],
  email: [
    { address: 'director@bank.example', verified: true },
    { address: 'director@acme.localhost', verified: true },
    { address: 'director@unverified.example', verified: true },
    { address: 'own@evil.localhost', verified: true },
  ],
  domainName: ['bank.example', 'acme.localhost'],
  isVerified: [true],
  primaryDomain: ['unverified.example', 'acme.localhost'],
  mayCallApi: [true],
  firstParty: [true, false],
  redirectUris: [['https://thief.example/callback']],
  allowedOrigins: [['https://thief.example']],
  authMethod: ['none'],
  grantTypes: [['client_credentials']],
  pkceOptional: [true],
  subjectClaim: ['nick'],
  trustsMethods: [true],
  crossAppAccess: [true],
  trustedEmailDomains: [['bank.example']],
  endSessions: [true],
  allowedAudiences: [['shop-web-client']],
}

/** Ids of new objects: those of deleted ones. */
const NEW_IDS: Readonly<Record<string, readonly string[]>> = {
  organization: ['deleted-organization'],
  user: ['deleted-person', 'deleted-colleague'],
  service_user: ['deleted-robot'],
  project: ['deleted-project'],
  application: ['deleted-web'],
}

/** The roles that the operations on these nouns give. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  instance_member: ROLES_OF_LEVEL.instance,
  organization_member: ROLES_OF_LEVEL.organization,
  project_member: ROLES_OF_LEVEL.project,
  offered_role: ['ORG_OWNER_VIEWER'],
  user_grant: ['admin'],
}

const CHANGING = OPERATIONS.filter(({ method }) => method !== 'get')

/** Every operation that changes something, with every object in every place of an id. */
export function callsOn(made: Made): readonly Call[] {
  return CHANGING.flatMap((operation) => callsOf(operation, made))
}

function callsOf(operation: Operation, made: Made): readonly Call[] {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const inPath = names.map((name) => idsOf(name, operation, made).map((id) => [name, id] as const))
  return product(inPath).flatMap((chosen) => {
    const ids = Object.fromEntries(chosen)
    const { method, path, body } = exampleCall(operation, ids)
    return bodies(operation, body, made).map((given) => ({
      operation: operation.id,
      method,
      path,
      body: given,
      userId: ids.userId,
    }))
  })
}

function idsOf(name: string, operation: Operation, made: Made): readonly string[] {
  const ids = IDS[name]
  if (ids === undefined) throw new Error(`the search has no ids for {${name}} of ${operation.id}`)
  return [...ids, ...(made[name as keyof Made] ?? [])]
}

/** The example about every object, and each with one field as a hostile caller would have it. */
function bodies(operation: Operation, example: unknown, made: Made): Values {
  if (operation.request === undefined || !('shape' in operation.request)) return [example]
  const fields = Object.keys(operation.request.shape as object)
  const isPatch = operation.method === 'patch'
  const inBody = fields.filter((field) => field in IDS && field !== 'domainName' && field !== 'key')
  const about = product(
    inBody.map((field) => idsOf(field, operation, made).map((id) => [field, id] as const)),
  )
  const noun = operation.id.split('.')[0] ?? ''
  const variants = fields.flatMap((field) => {
    return valuesOf(field, noun).map((value) => ({ [field]: value }))
  })
  return about.flatMap((ids) => {
    const base = { ...(example as object), ...Object.fromEntries(ids) }
    return [base, ...variants.map((variant) => (isPatch ? variant : { ...base, ...variant }))]
  })
}

function valuesOf(field: string, noun: string): Values {
  if (field === 'roles') return (ROLES[noun] ?? []).map((role) => [role])
  return (field === 'id' ? NEW_IDS[noun] : FIELDS[field]) ?? []
}

function product<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>(
    (chosen, list) => chosen.flatMap((before) => list.map((value) => [...before, value])),
    [[]],
  )
}

export function describeCall({ method, path, body }: Call): string {
  return `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`
}
