import type { JsonWebKey } from 'node:crypto'
import { invalidFields, invalidFieldsOf } from '@signet/admin-api/json-error-handler'
import { identifier } from '@signet/file-formats/export/record-schemas/fields'
import { ClientMetadataError } from '@signet/protocol/errors'
import { readPublicJwk } from '@signet/protocol/public-key'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { z } from 'zod'
import type { Application } from '../applications/application.schema.ts'
import { applicationSettings } from '../applications/application.schema.ts'
import { applicationUrl, name, redirectUri } from '../schema/fields.ts'
import { REGISTERED_AUTH_METHODS, REGISTERED_GRANT_TYPES } from './registration-policy.ts'

// Client metadata (RFC 7591 section 2), its names in lowerCamelCase as the body reader makes them. A member that is not here is
// left out of the registration, and so of the response: logos, links and contacts, which are unproven, and `scope`, since
// project grants and people decide what a client gets.

const MOST_URIS = 20
const MOST_KEYS = 10

const uris = z.array(redirectUri).max(MOST_URIS, `may have ${MOST_URIS} URIs at most`).readonly()
const refused = (rule: string) => z.undefined(rule).optional()

const publicKey = z.record(z.string(), z.unknown()).transform((jwk, context) => {
  const kid = identifier.optional().safeParse(jwk.kid)
  const read = kid.success ? readPublicJwk(jwk) : { problem: 'must have a kid that is an id' }
  if ('jwk' in read) return { kid: kid.data, jwk: read.jwk }
  context.addIssue({ code: 'custom', message: read.problem })
  return z.NEVER
})

const metadata = z
  .object({
    redirectUris: uris.default([]),
    postLogoutRedirectUris: uris.default([]),
    tokenEndpointAuthMethod: z.enum(REGISTERED_AUTH_METHODS).default('client_secret_basic'),
    grantTypes: z
      .array(z.enum(REGISTERED_GRANT_TYPES))
      .min(1, 'must name a grant type')
      .transform((types) => [...new Set(types)])
      .readonly()
      .default(['authorization_code']),
    responseTypes: z.array(z.literal('code', 'must be code')).max(1).readonly().optional(),
    clientName: name.optional(),
    applicationType: z.enum(['web', 'native']).optional(),
    initiateLoginUri: applicationUrl.nullable().default(null),
    idTokenSignedResponseAlg: applicationSettings.idTokenSigningAlg.default('RS256'),
    dpopBoundAccessTokens: z.boolean().default(false),
    requirePushedAuthorizationRequests: z.boolean().default(false),
    subjectType: z.literal('public', 'must be public').optional(),
    jwks: z.strictObject({ keys: z.array(publicKey).min(1).max(MOST_KEYS).readonly() }).optional(),
    jwksUri: refused('is not supported; send the keys as jwks'),
    sectorIdentifierUri: refused('is not supported'),
  })
  .superRefine((client, context) => {
    for (const [field, rule] of memberProblems(client)) {
      context.addIssue({ code: 'custom', path: [field], message: rule })
    }
  })

type Metadata = z.output<typeof metadata>

/** RFC 7591 section 2.1: the members that need each other. */
function memberProblems(client: Metadata): readonly (readonly [keyof Metadata, string])[] {
  const { grantTypes, responseTypes, redirectUris, jwks, tokenEndpointAuthMethod: method } = client
  const usesCode = grantTypes.includes('authorization_code')
  const kids = (jwks?.keys ?? []).map(({ kid }) => kid)
  const problems: readonly (readonly [boolean, keyof Metadata, string])[] = [
    [
      usesCode && redirectUris.length === 0,
      'redirectUris',
      'is required with the grant type authorization_code',
    ],
    [
      usesCode && responseTypes?.length === 0,
      'responseTypes',
      'must be code with the grant type authorization_code',
    ],
    [!usesCode && responseTypes?.length === 1, 'responseTypes', 'needs the grant type authorization_code'],
    [method === 'private_key_jwt' && jwks === undefined, 'jwks', 'is required with private_key_jwt'],
    [new Set(kids).size < kids.length, 'jwks', 'must have keys with different kids'],
  ]
  return problems.flatMap(([isBroken, field, rule]) => (isBroken ? [[field, rule] as const] : []))
}

/** The settings of an application that client metadata decides. */
export interface ClientSettings
  extends Pick<
    Application,
    'name' | 'redirectUris' | 'postLogoutRedirectUris' | 'responseTypes' | 'initiateLoginUri'
  > {
  readonly type: 'web' | 'native'
  readonly authMethod: Metadata['tokenEndpointAuthMethod']
  readonly grantTypes: Metadata['grantTypes']
  readonly idTokenSigningAlg: Metadata['idTokenSignedResponseAlg']
  readonly dpopBoundAccessTokens: boolean
  readonly requirePushedAuthorization: boolean
}

export interface ReadMetadata {
  readonly settings: ClientSettings
  /** The keys of private_key_jwt and of request objects, which each method may have; a kid is absent where there is one key. */
  readonly keys: readonly { readonly kid: string | undefined; readonly jwk: JsonWebKey }[]
}

/** Reads the body of a registration. Throws ClientMetadataError, and ApiError INVALID_ARGUMENT with names in lowerCamelCase. */
export function readMetadata(body: Readonly<Record<string, unknown>>): ReadMetadata {
  if (body.softwareStatement !== undefined) {
    throw new ClientMetadataError('software statements are not accepted; leave software_statement out', {
      code: 'unapproved_software_statement',
      reason: 'software_statement_refused',
    })
  }
  // RFC 7592 section 2.2: null is as good as omitted.
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  const read = metadata.safeParse(given, { reportInput: true })
  if (!read.success) throw invalidFieldsOf(read.error)
  const client = read.data
  if (client.jwks !== undefined && client.jwks.keys.length > 1 && client.jwks.keys.some(({ kid }) => !kid)) {
    throw invalidFields([{ field: 'jwks', rule: 'must have a kid in each of several keys' }])
  }
  return {
    keys: client.jwks?.keys ?? [],
    settings: {
      name: client.clientName ?? 'Registered client',
      // Any process of the device may listen there (RFC 8252 section 8.6), so no statement of the client counts.
      type: client.redirectUris.some(isOnDevice) ? 'native' : (client.applicationType ?? 'web'),
      authMethod: client.tokenEndpointAuthMethod,
      redirectUris: client.redirectUris,
      postLogoutRedirectUris: client.postLogoutRedirectUris,
      initiateLoginUri: client.initiateLoginUri,
      responseTypes: client.grantTypes.includes('authorization_code') ? ['code'] : [],
      grantTypes: client.grantTypes,
      idTokenSigningAlg: client.idTokenSignedResponseAlg,
      dpopBoundAccessTokens: client.dpopBoundAccessTokens,
      requirePushedAuthorization: client.requirePushedAuthorizationRequests,
    },
  }
}

/** RFC 8252 section 7.3: a program of the device listens there, on a port that it learns when it starts. */
function isOnDevice(uri: string): boolean {
  const { protocol, hostname } = new URL(uri)
  return protocol === 'http:' && isLoopbackHost(hostname)
}

/** The registered metadata, as a response has it (RFC 7591 section 3.2.1). */
export function shownMetadata(
  application: Application,
  keys: readonly { readonly id: string; readonly publicKeyJwk: object }[],
): Readonly<Record<string, unknown>> {
  return {
    client_name: application.name,
    application_type: application.type,
    token_endpoint_auth_method: application.authMethod,
    redirect_uris: application.redirectUris,
    post_logout_redirect_uris: application.postLogoutRedirectUris,
    ...(application.initiateLoginUri !== null && { initiate_login_uri: application.initiateLoginUri }),
    response_types: application.responseTypes,
    grant_types: application.grantTypes,
    id_token_signed_response_alg: application.idTokenSigningAlg,
    dpop_bound_access_tokens: application.dpopBoundAccessTokens,
    require_pushed_authorization_requests: application.requirePushedAuthorization,
    ...(keys.length > 0 && {
      jwks: { keys: keys.map(({ id, publicKeyJwk }) => ({ ...publicKeyJwk, kid: id })) },
    }),
  }
}

const SETTING_MEMBERS: Readonly<Record<string, string>> = {
  name: 'client_name',
  type: 'application_type',
  authMethod: 'token_endpoint_auth_method',
  idTokenSigningAlg: 'id_token_signed_response_alg',
  requirePushedAuthorization: 'require_pushed_authorization_requests',
}

/** The member of the metadata that a field of a problem names, with what follows its name: `redirect_uris[0]`. */
export function memberOf(field: string): string {
  const [, name = '', rest = ''] = /^(\w*)(.*)$/s.exec(field) ?? []
  return (SETTING_MEMBERS[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) + rest
}
