import { z } from 'zod'
import { POLICY_SCHEMAS } from '../organizations/policies.schema.ts'
import { duration } from '../schema/fields.ts'

// The members that the checks across objects need. A malformed value counts as absent here, so that a mistake
// in one place does not hide those in others; the strict schema reports it.

const text = z.string().optional().catch(undefined)
const texts = listOf(z.string().catch(''))
const number = z.int().optional().catch(undefined)
const seconds = duration('0s', '999999999h').optional().catch(undefined)

function listOf<T extends z.ZodType>(item: T) {
  return z.array(item).catch([]).default([])
}

function loose<S extends z.ZodRawShape>(shape: S) {
  const schema = z.object(shape)
  return z.preprocess((value) => (isObject(value) ? value : {}), schema)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const keys = listOf(loose({ id: text }))
const user = loose({
  id: text,
  userName: text,
  password: text,
  passwordHash: text,
})
const serviceUser = loose({
  id: text,
  userName: text,
  clientId: text,
  personalAccessTokens: listOf(loose({ id: text })),
  keys,
})
const application = loose({
  id: text,
  clientId: text,
  name: text,
  type: text,
  authMethod: text,
  clientSecret: text,
  keys,
  redirectUris: texts,
  postLogoutRedirectUris: texts,
  backChannelLogoutUri: text,
  homePage: text,
  initiateLoginUri: text,
  devMode: z.boolean().catch(false).default(false),
  exactLocalhostPort: z.boolean().catch(false).default(false),
  fapi2: z.boolean().catch(false).default(false),
  pkceOptional: z.boolean().catch(false).default(false),
  dpopBoundAccessTokens: z.boolean().catch(false).default(false),
  tlsClientCertificateBoundAccessTokens: z.boolean().catch(false).default(false),
  responseTypes: z.array(z.string()).optional().catch(undefined),
  grantTypes: z.array(z.string()).optional().catch(undefined),
  idTokenSigningAlg: text,
  accessTokenType: text,
  accessTokenSigningAlg: text,
  tlsClientAuthSubjectDn: text,
  tlsClientAuthSanDns: text,
  tlsClientAuthSanUri: text,
  tlsClientAuthSanIp: text,
  tlsClientAuthSanEmail: text,
})
const project = loose({
  id: text,
  name: text,
  roles: listOf(loose({ key: text })),
  grants: listOf(loose({ userId: text, roles: texts })),
  applications: listOf(application),
})
const organization = loose({
  id: text,
  primaryDomain: text,
  domains: listOf(z.unknown()),
  lockoutPolicy: POLICY_SCHEMAS.lockoutPolicy.optional().catch(undefined),
  passwordComplexityPolicy: POLICY_SCHEMAS.passwordComplexityPolicy.optional().catch(undefined),
  labelPolicy: POLICY_SCHEMAS.labelPolicy.optional().catch(undefined),
  privacyPolicy: POLICY_SCHEMAS.privacyPolicy.optional().catch(undefined),
  domainPolicy: loose({ userLoginMustBeDomain: z.boolean().optional().catch(undefined) }).optional(),
  users: listOf(user),
  serviceUsers: listOf(serviceUser),
  projects: listOf(project),
})
const outlineSchema = loose({
  organizations: listOf(organization),
  defaultOrganization: text,
  settings: loose({
    passwordMinLength: number,
    maxPasswordAttempts: number,
    maxOtpAttempts: number,
    refreshIdle: seconds,
    refreshAbsolute: seconds,
    sessionIdle: seconds,
    sessionAbsolute: seconds,
  }).optional(),
})

export type Outline = z.output<typeof outlineSchema>
export type OutlineOrganization = Outline['organizations'][number]

/** The part of a file that refers from one object to another. Never fails. */
export function readOutline(document: unknown): Outline {
  return outlineSchema.parse(document)
}
