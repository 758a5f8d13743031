import { Secret } from '@signet/platform/config/settings-fields'
import type { Operation } from '../src/api/operation.ts'
import { openapiText } from '../src/openapi-document.ts'
import { OPERATIONS } from '../src/operations.ts'
import { acme, type SampleDocument, sampleDocument } from './directory-fixture.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly example?: string
}
interface Described {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } }
}

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> } =
  JSON.parse(openapiText(OPERATIONS))

/** The call that the document gives as the example of an operation. */
export function exampleCall(
  { method, path }: Pick<Operation, 'method' | 'path'>,
  instead: Readonly<Record<string, string>> = {},
): { readonly method: string; readonly path: string; readonly body: unknown } {
  const described = document.paths[path]?.[method]
  if (described === undefined) throw new Error(`the document has no ${method} ${path}`)
  const { parameters, requestBody } = described
  const filling = ({ name, example }: Parameter) => encodeURIComponent(instead[name] ?? example ?? '')
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, filling(parameter)), path)
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  const search = query.map((parameter) => `${parameter.name}=${filling(parameter)}`).join('&')
  return {
    method: method.toUpperCase(),
    path: search === '' ? filled : `${filled}?${search}`,
    body: requestBody?.content['application/json'].example,
  }
}

/** RFC 8037 appendix A.2. */
const PUBLIC_KEY = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }

/** The sample with all objects that the examples of the document name, and a user without a second factor. */
export function exampleDirectory(): SampleDocument {
  const document = sampleDocument()
  const organization = acme(document)
  organization.domains = ['shop.acme.example']
  organization.users?.push({ id: 'bob', userName: 'bob', profile: { givenName: 'B', familyName: 'B' } })
  const mail = (address: string, verified: boolean) => ({
    email: { address: `${address}@acme.example`, verified },
  })
  organization.users?.push(
    { id: 'dave', userName: 'dave', profile: { givenName: 'D', familyName: 'D' }, ...mail('dave', true) },
    { id: 'frank', userName: 'frank', profile: { givenName: 'F', familyName: 'F' }, ...mail('frank', false) },
    { id: 'grace', userName: 'grace', profile: { givenName: 'G', familyName: 'G' }, ...mail('grace', false) },
  )
  for (const serviceUser of organization.serviceUsers ?? []) {
    serviceUser.keys = [{ id: 'k1', publicKeyJwk: PUBLIC_KEY }]
  }
  for (const application of organization.projects?.[0]?.applications ?? []) {
    application.keys = [{ id: 'web-key', publicKeyJwk: PUBLIC_KEY }]
  }
  document.organizations.push({ id: 'partner', name: 'Partner', primaryDomain: 'partner.localhost' })
  return document
}

/** People and providers whose state each of these operations needs. */
export const EXAMPLE_PEOPLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'user.reset_factors': { userId: 'bob' },
  'identity_provider.import_metadata': { providerId: 'saml' },
  'identity_provider.add_key': { providerId: 'saml' },
  'identity_provider.retire_key': { providerId: 'keyed' },
  'user.invite': { userId: 'grace' },
  'user.send_password_reset': { userId: 'dave' },
  'user.send_email_verification': { userId: 'frank' },
}

/** A server that refuses connections. */
export const CLOSED_SMTP = {
  url: new Secret('smtp://localhost:1'),
  sender: 'id@signet.example',
}

const [, certificate = ''] = /<X509Certificate>([^<]*)</.exec(openapiText(OPERATIONS)) ?? []

/** The SAML provider whose metadata is an example, and one with a key that nothing opens. */
export const EXAMPLE_SAML_PROVIDER = `INSERT INTO directory.identity_provider
   (provider_id, organization_id, type, name, issuer, client_id, client_authentication, scopes, sso_url, certificates,
    own_certificates, sealed_own_keys)
   VALUES ('saml', 'acme', 'saml', 'SAML', 'https://idp.acme.example', 'urn:signet', 'none', '{}',
           'https://idp.acme.example/sso', '{${certificate}}', '{}', NULL),
          ('keyed', 'acme', 'saml', 'Keyed', 'https://idp.acme.example', 'urn:signet', 'none', '{}',
           'https://idp.acme.example/sso', '{${certificate}}', '{${certificate}}', '\\x00')`

/** Rows of the examples that a bootstrap file cannot declare. */
export const EXAMPLE_ROWS = [
  `INSERT INTO directory.registration_token VALUES ('agents', 'portal', '\\x00', '{app.example}', false,
     '{authorization_code}', '{none}', 10, 30, '2026-01-01', '2126-01-01')`,
  "UPDATE directory.user_grant SET user_grant_id = 'alice-portal'",
  `INSERT INTO directory.member (user_id, level, project_id, role)
   VALUES ('alice', 'project', 'portal', 'PROJECT_OWNER')`,
  "INSERT INTO directory.project_grant VALUES ('portal', 'acme')",
  `INSERT INTO directory.member (user_id, level, organization_id, role, accepted)
   VALUES ('migrator-id', 'organization', 'partner', 'ORG_OWNER_VIEWER', false),
          ('migrator-id', 'organization', 'partner', 'ORG_USER_MANAGER', false)`,
  "INSERT INTO directory.passkey_user (user_id, handle) VALUES ('alice', decode(repeat('07', 32), 'hex'))",
  `INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports, aaguid, name,
                                  backup_eligible, backed_up, created_at)
   VALUES ('390000000000000001', 'alice', 'localhost', decode(repeat('01', 32), 'hex'), '\\x01', 0, '{}',
           '00000000-0000-0000-0000-000000000000', 'Passkey', false, false, '2026-01-01T00:00:00Z')`,
  `INSERT INTO directory.identity_provider (provider_id, organization_id, name, issuer, client_id, client_authentication, scopes)
   VALUES ('corporate', 'acme', 'Corporate', 'https://corporate.example', 'signet', 'none', '{openid}')`,
  EXAMPLE_SAML_PROVIDER,
  `INSERT INTO directory.identity_link (link_id, user_id, provider_id, issuer, subject)
   VALUES ('alice-corporate', 'alice', 'corporate', 'https://corporate.example', 'alice')`,
  "INSERT INTO directory.recovery_code (user_id, code_hash) VALUES ('alice', decode(repeat('09', 32), 'hex'))",
  `INSERT INTO directory.identity_provider_test
   VALUES ('391000000000000001', 'corporate', 'administrator', NULL, NULL, '{"outcome": "declined"}', '2126-01-01')`,
]

/** The bearer of the fixture that may do what the example of an operation does. */
export const exampleBearer = (operationId: string): string =>
  operationId === 'impersonation.create' ? 'impersonator' : 'owner'

/** Lets the example of `impersonation.create` count. */
export const ALLOW_IMPERSONATION = [
  'UPDATE directory.setting SET enable_impersonation = true',
  `INSERT INTO directory.organization_policy VALUES ('acme', 'login', '{"allowImpersonation": true}')
       ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
]
