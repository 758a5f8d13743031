import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { quoted } from '../api/command.ts'
import type { components } from '../api/gen/schema.ts'

type Application = Pick<
  components['schemas']['Application'],
  'clientId' | 'authMethod' | 'requirePushedAuthorization'
>

/** The grants by which an application gets tokens of a person. */
const GRANTS_OF_PEOPLE = ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'] as const
type GrantOfPeople = (typeof GRANTS_OF_PEOPLE)[number]

/** The grants that are tried: those of people, and the one by which an application gets tokens of its own. */
export const GRANTS = [...GRANTS_OF_PEOPLE, 'client_credentials'] as const
export type Grant = (typeof GRANTS)[number]

/** Whether a person signs in by the grant. */
export const isOfPeople = (grant: Grant): grant is GrantOfPeople => grant !== 'client_credentials'

/** The person and the request whose tokens are shown. */
export interface Tested {
  readonly userId: string
  readonly scope: string
  /** URIs of APIs, separated by spaces. */
  readonly resource: string
  readonly grantType: GrantOfPeople
}

/** A sign-in to try. It names no person: the address of a request is in histories and logs. */
export interface SignInRequest {
  readonly application: Application
  readonly issuer: string
  readonly scope: string
  /** URIs of APIs, separated by spaces. */
  readonly resource: string
  readonly redirectUri: string
  readonly proof: Proof
}

/** PKCE (RFC 7636), and the values by which the application knows its own request again. */
export interface Proof {
  readonly verifier: string
  readonly challenge: string
  readonly state: string
  readonly nonce: string
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

type Cryptography = Pick<Crypto, 'getRandomValues'> & { readonly subtle: Pick<SubtleCrypto, 'digest'> }

/** Makes the values of a new request. */
export async function newProof(cryptography: Cryptography): Promise<Proof> {
  const random = () => base64url(cryptography.getRandomValues(new Uint8Array(32)))
  const verifier = random()
  const hash = await cryptography.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: base64url(new Uint8Array(hash)), state: random(), nonce: random() }
}

type Parameters = readonly (readonly [name: string, value: string])[]

const resourcesOf = (resource: string): Parameters =>
  resource
    .split(' ')
    .filter(Boolean)
    .map((uri) => ['resource', uri] as const)

const parametersOf = ({ application, scope, resource, redirectUri, proof }: SignInRequest): Parameters => [
  ['client_id', application.clientId],
  ['redirect_uri', redirectUri],
  ['response_type', 'code'],
  ['scope', scope],
  ...resourcesOf(resource),
  ['state', proof.state],
  ['nonce', proof.nonce],
  ['code_challenge', proof.challenge],
  ['code_challenge_method', 'S256'],
]

/** The address of the authorization request. Where the application pushes its requests, that of the pushed one. */
export function authorizationUrl(request: SignInRequest): string {
  const { application, issuer } = request
  const parameters = application.requirePushedAuthorization
    ? [
        ['client_id', application.clientId],
        ['request_uri', 'REQUEST_URI'],
      ]
    : parametersOf(request)
  return `${issuer}${ENDPOINT_PATHS.authorize}?${new URLSearchParams(parameters.map(([name = '', value = '']) => [name, value]))}`
}

/** The command that pushes the request (RFC 9126). */
export const pushCommand = (request: SignInRequest): string =>
  command(request, ENDPOINT_PATHS.pushedAuthorization, parametersOf(request))

/** The command with which a device begins a sign-in (RFC 8628 section 3.1). */
export const deviceCommand = (request: SignInRequest): string =>
  command(request, ENDPOINT_PATHS.deviceAuthorization, [
    ['client_id', request.application.clientId],
    ['scope', request.scope],
    ...resourcesOf(request.resource),
  ])

/**
 * The command that gets the tokens: by the code of the response, CODE, by the device code, DEVICE_CODE, or by the credentials of the
 * application alone.
 */
export const tokenCommand = (request: SignInRequest, grantType: Grant): string =>
  command(request, ENDPOINT_PATHS.token, [['grant_type', grantType], ...PARAMETERS_OF[grantType](request)])

const PARAMETERS_OF: Readonly<Record<Grant, (request: SignInRequest) => Parameters>> = {
  authorization_code: ({ redirectUri, proof }) => [
    ['code', 'CODE'],
    ['redirect_uri', redirectUri],
    ['code_verifier', proof.verifier],
  ],
  'urn:ietf:params:oauth:grant-type:device_code': () => [['device_code', 'DEVICE_CODE']],
  client_credentials: ({ scope, resource }) => [
    ...(scope.trim() === '' ? [] : [['scope', scope.trim()] as const]),
    ...resourcesOf(resource),
  ],
}

function command({ application, issuer }: SignInRequest, path: string, parameters: Parameters): string {
  const [options, credentials] = authenticationOf(application)
  const given = new Map([...credentials, ...parameters].map((pair) => [pair.join('='), pair]))
  const data = [...given.values()].map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
  return [`curl ${quoted(`${issuer}${path}`)}`, ...options, ...data].join(' \\\n  ')
}

/** The options and the parameters by which an application authenticates. Words in capitals stand for its secrets. */
function authenticationOf({
  clientId,
  authMethod,
}: Application): readonly [options: readonly string[], parameters: Parameters] {
  const id = ['client_id', clientId] as const
  switch (authMethod) {
    case 'client_secret_basic':
      return [[`--user ${quoted(`${encodeURIComponent(clientId)}:SECRET`)}`], []]
    case 'client_secret_post':
      return [[], [id, ['client_secret', 'SECRET']]]
    case 'private_key_jwt':
      return [
        [],
        [
          ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
          ['client_assertion', 'ASSERTION'],
        ],
      ]
    case 'tls_client_auth':
    case 'self_signed_tls_client_auth':
      return [['--cert CERTIFICATE --key KEY'], [id]]
    default:
      return [[], [id]]
  }
}
