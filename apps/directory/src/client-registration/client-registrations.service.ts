import { createHash } from 'node:crypto'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { identifier } from '@signet/file-formats/export/record-schemas/fields'
import { InvalidTokenError, RegistrationDeniedError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { Tools } from '../api/management-call.ts'
import type { Application } from '../applications/application.schema.ts'
import { requireChangeableRecipients } from '../applications/application-rules.ts'
import {
  createApplication,
  deleteApplication,
  requireApplication,
  updateApplication,
} from '../applications/applications.service.ts'
import { longSecretHash, newRegistrationAccessToken } from '../credentials/client-secret.ts'
import type { RegisteredKey } from '../credentials/credential.schema.ts'
import type { RegisteredKeyStore } from '../credentials/registered-key.repository.ts'
import { type ReadMetadata, readMetadata, shownMetadata } from './client-metadata.ts'
import type { ClientRegistration } from './client-registration.repository.ts'
import {
  type RegistrationCallDependencies,
  type RegistrationStores,
  registrationCall,
} from './registration-call.ts'
import { policyProblems, type RegistrationPolicy } from './registration-policy.ts'
import type { UsableToken } from './registration-token.repository.ts'

interface Dependencies
  extends RegistrationCallDependencies,
    Pick<Tools, 'issuer' | 'newId' | 'now' | 'random' | 'hasher'> {
  /** Stores for reads. */
  readonly stores: RegistrationStores
}

/** A request: the bearer token that it presents and its network address. `onFound` hears the id of the token, or of its client. */
interface Presented {
  readonly token: string
  readonly clientAddress: string
  readonly onFound: (id: string) => void
}

type Body = Readonly<Record<string, unknown>>
type Response = Readonly<Record<string, unknown>>

/** RFC 7591 and RFC 7592: clients that register themselves, and read, change and delete their registration. */
export interface ClientRegistrations {
  register(presented: Presented, body: Body): Promise<Response>
  read(presented: Presented, clientId: string): Promise<Response>
  replace(presented: Presented, clientId: string, body: Body): Promise<Response>
  remove(presented: Presented, clientId: string): Promise<void>
}

const DAY_MS = 86_400_000
const hashOf = (token: string) => createHash('sha256').update(token).digest()

/** Creates the use cases. The rules of applications are those of administrators; the policy narrows them. */
export function createClientRegistrations(dependencies: Dependencies): ClientRegistrations {
  return {
    register: (presented, body) => register(dependencies, presented, body),
    async read({ token, onFound }, clientId) {
      const { applicationId } = await requireRegistration(dependencies.stores, token, clientId)
      onFound(clientId)
      return readInformation(dependencies, applicationId, token)
    },
    replace: (presented, clientId, body) => replace(dependencies, presented, { clientId, body }),
    remove: (presented, clientId) => remove(dependencies, presented, clientId),
  }
}

async function register(
  dependencies: Dependencies,
  { token, clientAddress, onFound }: Presented,
  body: Body,
): Promise<Response> {
  const { stores, newId, now, random, issuer } = dependencies
  const found = await stores.registrationTokens.findByHash(hashOf(token))
  if (found !== undefined) onFound(found.id)
  const initial = requireUsable(found, now())
  const { settings, keys } = readMetadata(body)
  requirePolicy(settings, initial)
  const registrationToken = newRegistrationAccessToken(random)
  const registered = keys.map((key) => registeredKey(key, newId, now()))
  const call = registrationCall(dependencies, {
    applicationId: newId(),
    organizationId: initial.organizationId,
    clientAddress,
    actor: { kind: 'anonymous' },
    action: 'application.create',
    details: { token_id: initial.id },
    async before({ registrationTokens }) {
      const held = requireUsable(await registrationTokens.hold(initial.id), now())
      if (held.clients < held.mostClients) return
      throw new RegistrationDeniedError('the initial access token has registered as many clients as it may', {
        reason: 'registrations_exhausted',
      })
    },
    async after({ clientRegistrations, applicationKeys }, applicationId) {
      const { id: tokenId, unusedDays } = initial
      const unusedUntil = new Date(now().getTime() + unusedDays * DAY_MS)
      const hash = hashOf(registrationToken)
      await clientRegistrations.add({ applicationId, tokenId, hash, unusedDays, unusedUntil })
      for (const key of registered) await applicationKeys.add(applicationId, key)
    },
  })
  const wanted = { ...settings, projectId: initial.projectId, requirePkce: true }
  const { clientSecret, ...application } = await createApplication(call, wanted, dependencies)
  const secret = clientSecret && { client_secret: clientSecret, client_secret_expires_at: 0 }
  return { ...information(issuer, registrationToken, { application, keys: registered }), ...secret }
}

async function replace(
  dependencies: Dependencies,
  { token, clientAddress, onFound }: Presented,
  { clientId, body }: { readonly clientId: string; readonly body: Body },
): Promise<Response> {
  const { applicationId, organizationId } = await requireRegistration(dependencies.stores, token, clientId)
  onFound(clientId)
  const { settings, keys } = readMetadata(body)
  if (body.clientId !== clientId) {
    throw invalidFields([{ field: 'clientId', rule: 'must be that of the client' }])
  }
  const call = registrationCall(dependencies, {
    ...{ applicationId, organizationId, clientAddress, action: 'application.update' },
    actor: { kind: 'client', id: clientId },
    async before(stores) {
      const registration = await requireRegistration(stores, token, clientId)
      requirePolicy(settings, await requireChangeable(stores, registration))
      const before = await requireApplication(stores.applications, applicationId)
      requireSameMethod(before, settings)
      await requireSameSecret(stores, applicationId, body.clientSecret)
      if (keys.length > 0) requireChangeableRecipients(call.caller, before, 'its keys can be changed')
      if (isAnotherRecipient(before, settings))
        await stores.clientRegistrations.changeRecipients(applicationId, dependencies.now())
    },
    async after({ applicationKeys }) {
      await replaceKeys(dependencies, applicationKeys, { applicationId, keys })
    },
  })
  await updateApplication(call, { applicationId, ...settings })
  return readInformation(dependencies, applicationId, token)
}

async function remove(
  dependencies: Dependencies,
  { token, clientAddress, onFound }: Presented,
  clientId: string,
): Promise<void> {
  const { applicationId, organizationId } = await requireRegistration(dependencies.stores, token, clientId)
  onFound(clientId)
  const call = registrationCall(dependencies, {
    ...{ applicationId, organizationId, clientAddress, action: 'application.delete' },
    actor: { kind: 'client', id: clientId },
    async before(stores) {
      await requireRegistration(stores, token, clientId)
    },
  })
  await deleteApplication(call, { applicationId })
}

async function readInformation(
  { stores, issuer }: Pick<Dependencies, 'stores' | 'issuer'>,
  applicationId: string,
  token: string,
): Promise<Response> {
  const application = await requireApplication(stores.applications, applicationId)
  const { items: keys } = await stores.applicationKeys.list(applicationId, { limit: MOST_SHOWN_KEYS })
  return information(issuer, token, { application, keys })
}

/** RFC 7591 section 3.2.1, without the secret, of which only the hash is stored. */
function information(
  issuer: string,
  registrationToken: string,
  { application, keys }: { readonly application: Application; readonly keys: readonly RegisteredKey[] },
): Response {
  return {
    client_id: application.clientId,
    client_id_issued_at: Math.floor(application.createdAt.getTime() / 1_000),
    registration_access_token: registrationToken,
    registration_client_uri: `${issuer}${ENDPOINT_PATHS.register}/${encodeURIComponent(application.clientId)}`,
    ...shownMetadata(application, keys),
  }
}

async function replaceKeys(
  { newId, now }: Pick<Dependencies, 'newId' | 'now'>,
  store: RegisteredKeyStore,
  { applicationId, keys }: { readonly applicationId: string } & Pick<ReadMetadata, 'keys'>,
): Promise<void> {
  const { items } = await store.list(applicationId, { limit: MOST_SHOWN_KEYS })
  for (const { id } of items) await store.delete(applicationId, id)
  for (const key of keys) await store.add(applicationId, registeredKey(key, newId, now()))
}

/** An administrator may have added some to those that clients may register. */
const MOST_SHOWN_KEYS = 100

function registeredKey(
  { kid, jwk }: ReadMetadata['keys'][number],
  newId: () => string,
  createdAt: Date,
): RegisteredKey {
  return { id: kid ?? newId(), publicKeyJwk: jwk, createdAt, expiresAt: null }
}

/** Throws InvalidTokenError for an initial access token that is unknown or over, or whose organization is not active. */
function requireUsable(token: UsableToken | undefined, now: Date): UsableToken {
  if (token?.organizationIsActive && token.expiresAt > now) return token
  throw new InvalidTokenError('the initial access token is unknown, revoked or expired', {
    reason: 'initial_access_token_invalid',
    tokenGiven: true,
  })
}

async function requireRegistration(
  { clientRegistrations }: Pick<RegistrationStores, 'clientRegistrations'>,
  token: string,
  clientId: string,
): Promise<ClientRegistration> {
  // PostgreSQL fails on a zero character, which a path may hold.
  const isId = identifier.safeParse(clientId).success
  const registration = isId ? await clientRegistrations.find(clientId, hashOf(token)) : undefined
  if (registration !== undefined) return registration
  throw new InvalidTokenError('the registration access token is not one of a client with this client_id', {
    reason: 'registration_access_token_invalid',
    tokenGiven: true,
  })
}

/** Returns the policy that the client obeys now. */
async function requireChangeable(
  { registrationTokens }: Pick<RegistrationStores, 'registrationTokens'>,
  { tokenId, isActive }: ClientRegistration,
): Promise<RegistrationPolicy> {
  const initial = tokenId === null ? undefined : await registrationTokens.hold(tokenId)
  if (initial !== undefined && isActive) return initial
  throw new RegistrationDeniedError(
    'the registration cannot be changed: the initial access token was revoked, or the client is not active',
    { reason: 'registration_frozen' },
  )
}

function requirePolicy(settings: ReadMetadata['settings'], policy: RegistrationPolicy): void {
  const problems = policyProblems(settings, policy)
  if (problems.length > 0) throw invalidFields(problems)
}

/** Whether people who allowed the client before would allow another one. */
function isAnotherRecipient(
  before: Application,
  { name, type, redirectUris }: ReadMetadata['settings'],
): boolean {
  const isNew = redirectUris.some((uri) => !before.redirectUris.includes(uri))
  return isNew || name !== before.name || type !== before.type
}

/** A public client gets no secret later, and one with a secret keeps it. */
function requireSameMethod(before: Application, { authMethod }: ReadMetadata['settings']): void {
  if (authMethod === before.authMethod) return
  throw invalidFields([{ field: 'authMethod', rule: 'cannot be changed; register another client' }])
}

/** RFC 7592 section 2.2: a secret that the client sends is the one that it has. */
async function requireSameSecret(
  { clientRegistrations }: Pick<RegistrationStores, 'clientRegistrations'>,
  applicationId: string,
  secret: unknown,
): Promise<void> {
  if (secret === undefined || secret === null) return
  const isSame =
    typeof secret === 'string' && (await clientRegistrations.hasSecret(applicationId, longSecretHash(secret)))
  if (isSame) return
  throw invalidFields([{ field: 'clientSecret', rule: 'must be the secret of the client, or be left out' }])
}
