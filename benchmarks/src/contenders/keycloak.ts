// Keycloak for production, beside Signet on its PostgreSQL, with the same clients and the same user.

import { readdirSync, readFileSync } from 'node:fs'
import type { Secret } from '@signet/platform/config/settings-fields'
import { createPool } from '@signet/platform/postgres/pool'
import { type Keycloak, startKeycloak } from '@signet/testing/keycloak-server'
import { PASSWORD, REDIRECT_URI, SECRET, SIGNED_OUT_URI } from '../stage/directory-document.ts'

/** The cost of a password hash at Signet. */
const ARGON2 = { memory: 19_456, iterations: 2 }
const HOUR = 3_600

export interface KeycloakPeer {
  readonly origin: string
  readonly pids: readonly number[]
  /** Milliseconds of a start on databases that are ready. */
  readonly startMs: number
  /** Returns the path of an endpoint such as `/token`. */
  pathOf(realm: Realm, endpoint: string): string
  stop(): Promise<void>
}

/**
 * `passwords` hashes them as Signet does, and stands for a real realm. `sessions` hashes them at next to no cost, so that
 * sessions, which other rows use up, are made fast.
 */
export type Realm = 'passwords' | 'sessions'

const POLICIES: Readonly<Record<Realm, string>> = {
  passwords: `hashAlgorithm(argon2) and hashIterations(${ARGON2.iterations})`,
  sessions: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(1)',
}

/** Starts it twice: the first start makes its tables. Throws when its passwords do not cost what those of Signet do. */
export async function openKeycloak(postgresAdminUrl: Secret): Promise<KeycloakPeer> {
  const { hostname, port, username, password } = new URL(postgresAdminUrl.reveal())
  const pool = createPool({ url: postgresAdminUrl, applicationName: 'bench', max: 1 })
  await pool.query({ name: '', text: 'CREATE DATABASE keycloak' }).finally(() => pool.close())
  const production = [
    `--db-url=jdbc:postgresql://${hostname}:${port || 5_432}/keycloak`,
    ...[`--db-username=${decodeURIComponent(username)}`, `--db-password=${decodeURIComponent(password)}`],
    ...['--http-enabled=true', '--hostname-strict=false', '--cache=local'],
    `--spi-password-hashing--argon2--memory=${ARGON2.memory}`,
  ]
  await (await startKeycloak({ production })).remove()
  const keycloak = await startKeycloak({ production })
  try {
    for (const realm of Object.keys(POLICIES) as Realm[]) await createRealm(keycloak, realm)
  } catch (error) {
    await keycloak.remove()
    throw error
  }
  return {
    ...{ origin: keycloak.origin, startMs: keycloak.startMs },
    pids: processesOf(keycloak.processGroup),
    pathOf: (realm, endpoint) => `/realms/${realm}/protocol/openid-connect${endpoint}`,
    stop: () => keycloak.remove(),
  }
}

const AUDIENCE = {
  ...{ name: 'audience', protocol: 'openid-connect', protocolMapper: 'oidc-audience-mapper' },
  config: { 'included.client.audience': 'web', 'access.token.claim': 'true' },
}

async function createRealm({ call }: Keycloak, realm: Realm): Promise<void> {
  const client = {
    ...{ protocol: 'openid-connect', publicClient: false, secret: SECRET, serviceAccountsEnabled: true },
    redirectUris: [REDIRECT_URI],
    // A client may introspect the tokens whose audience it is.
    protocolMappers: [AUDIENCE],
  }
  const attributes = { 'post.logout.redirect.uris': SIGNED_OUT_URI }
  const es256 = {
    ...{ 'id.token.signed.response.alg': 'ES256', 'access.token.signed.response.alg': 'ES256' },
  }
  await call('POST', '/realms', {
    ...{ realm, enabled: true, sslRequired: 'none', passwordPolicy: POLICIES[realm] },
    ...{ accessTokenLifespan: HOUR, ssoSessionIdleTimeout: 10 * HOUR, ssoSessionMaxLifespan: 10 * HOUR },
    // Rotation, as Signet does it.
    ...{ revokeRefreshToken: true, refreshTokenMaxReuse: 0 },
  })
  const at = `/realms/${realm}`
  await call('POST', `${at}/components`, {
    ...{ name: 'es256', providerId: 'ecdsa-generated', providerType: 'org.keycloak.keys.KeyProvider' },
    config: { priority: ['100'], ecdsaEllipticCurveKey: ['P-256'] },
  })
  await call('POST', `${at}/clients`, { ...client, clientId: 'web', attributes })
  await call('POST', `${at}/clients`, { ...client, clientId: 'web-es256', attributes: es256 })
  await call('POST', `${at}/users`, {
    ...{ username: 'alice', enabled: true, firstName: 'Alice', lastName: 'Example' },
    ...{ email: 'alice@acme.localhost', emailVerified: true },
    credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
  })
  if (realm === 'passwords') await requireCost(call)
}

async function requireCost(call: Keycloak['call']): Promise<void> {
  const [{ id } = { id: '' }] = (await call('GET', '/realms/passwords/users?username=alice')) as {
    id: string
  }[]
  const [stored] = (await call('GET', `/realms/passwords/users/${id}/credentials`)) as {
    credentialData: string
  }[]
  const { algorithm, hashIterations, additionalParameters } = JSON.parse(stored?.credentialData ?? '{}')
  const [memory] = additionalParameters?.memory ?? []
  if (algorithm === 'argon2' && hashIterations === ARGON2.iterations && Number(memory) === ARGON2.memory)
    return
  throw new Error(`a password of Keycloak costs something else: ${stored?.credentialData}`)
}

function processesOf(group: number): readonly number[] {
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return ids.filter((pid) => groupOf(pid) === group)
}

function groupOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[2])
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}
