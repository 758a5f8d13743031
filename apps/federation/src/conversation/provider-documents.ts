import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { GetText } from '@signet/platform/outbound-http/http-calls'
import { createKeptReads } from '@signet/platform/outbound-http/kept-reads'
import { publicKeyProblem } from '@signet/protocol/public-key'
import { z } from 'zod'
import { Refused } from './refusal.ts'
import { refusalOfCall, refusalOfStatus } from './refusal-of-call.ts'

/** The parts of a discovery document (OpenID Connect Discovery section 3) that a sign-in needs. */
export interface ProviderMetadata {
  /** The issuer; it has `{tenantid}` in place of the tenant where the provider answers for several. */
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly userinfo_endpoint?: string | undefined
  readonly jwks_uri: string
  /** OpenID Connect RP-Initiated Logout 1.0 section 2.1. No sign-in depends on it, so a malformed one counts as none. */
  readonly end_session_endpoint?: string | undefined
  /** RFC 9207. */
  readonly authorization_response_iss_parameter_supported?: boolean | undefined
}

/** A key by which ID tokens are verified. */
export interface ProviderKey {
  readonly kid: string | undefined
  /** The one algorithm that the provider uses it with; undefined: any that fits. */
  readonly alg: string | undefined
  readonly key: KeyObject
}

export interface ProviderDocuments {
  /** Throws Refused. */
  findMetadata(issuer: string): Promise<ProviderMetadata>
  /** Throws Refused. `isNew` says whether the keys were read for this call. */
  findKeys(
    metadata: ProviderMetadata,
    kid: string | undefined,
  ): Promise<{ readonly keys: readonly ProviderKey[]; readonly isNew: boolean }>
}

interface Options {
  /** Refuses private addresses, follows no redirect, and has a limit of time and size. */
  readonly getText: GetText
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
}

const MOST_KEYS = 100

const endpoint = z.url({ protocol: /^https?$/ }).max(2_000)
const discoveryDocument = z.object({
  issuer: z.string().max(2_000),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint.optional(),
  jwks_uri: endpoint,
  end_session_endpoint: endpoint.optional().catch(undefined),
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
})
const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(MOST_KEYS) })

/** Reads the discovery documents and key sets of providers, and keeps them for ten minutes. */
export function createProviderDocuments({ getText, elapsed }: Options): ProviderDocuments {
  async function readJson(url: string): Promise<unknown> {
    const { status, text } = await getText(url, { accept: 'application/json' }).catch((error: unknown) => {
      throw refusalOfCall(error)
    })
    if (status !== 200) throw refusalOfStatus(status)
    return JSON.parse(text)
  }

  async function readMetadata(issuer: string): Promise<ProviderMetadata> {
    const document = await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
      .then((json) => discoveryDocument.parse(json))
      .catch((cause: unknown) => {
        throw cause instanceof Refused ? cause : new Refused('discovery_malformed', { cause })
      })
    if (!isIssuerOf(document.issuer, issuer)) {
      throw new Refused('discovery_issuer_differs', { received: document.issuer, expected: issuer })
    }
    requireEndpoints(document)
    return document
  }

  async function readKeys(url: string): Promise<readonly ProviderKey[]> {
    try {
      return usableKeys(await readJson(url))
    } catch (cause) {
      throw cause instanceof Refused ? cause : new Refused('keys_malformed', { cause })
    }
  }

  const metadataOf = createKeptReads({ read: readMetadata, elapsed })
  const keysOf = createKeptReads({ read: readKeys, elapsed })
  return {
    async findMetadata(issuer) {
      return (await metadataOf(issuer)).value
    },
    async findKeys({ jwks_uri: url }, kid) {
      const hasKey = (keys: readonly ProviderKey[]) =>
        kid === undefined || keys.some((key) => key.kid === kid)
      const { value: keys, isNew } = await keysOf(url, hasKey)
      return { keys, isNew }
    },
  }
}

/** The aliases under which Entra ID answers for several tenants. */
const ALL_TENANTS = ['common', 'organizations', 'consumers']
const TENANT = '{tenantid}'

/** Whether a document names the issuer that it was read for. The issuer of a token has the tenant in place of `{tenantid}`. */
function isIssuerOf(named: string, issuer: string): boolean {
  return named === issuer || ALL_TENANTS.some((alias) => named.replace(TENANT, alias) === issuer)
}

/** Whether a provider signs people of any tenant in: only a required claim says which one is meant. */
export const isOfManyTenants = ({ issuer }: ProviderMetadata): boolean => issuer.includes(TENANT)

/** The issuer that a token of this provider has to name. */
export function issuerOfToken({ issuer }: ProviderMetadata, tenant: unknown): string {
  const isTenant = typeof tenant === 'string' && /^[A-Za-z0-9-]{1,100}$/.test(tenant)
  return isTenant ? issuer.replace(TENANT, () => tenant) : issuer
}

function requireEndpoints(metadata: ProviderMetadata): void {
  const { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = metadata
  for (const url of [authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri]) {
    if (url !== undefined) requireTlsEndpoint(metadata, url)
  }
}

/** Throws Refused for an endpoint without TLS of an https provider. */
export function requireTlsEndpoint({ issuer }: ProviderMetadata, url: string): void {
  if (issuer.startsWith('https:') && new URL(url).protocol !== 'https:')
    throw new Refused('endpoint_without_tls', { received: url })
}

/** The keys of a JSON Web Key Set (RFC 7517 section 5) that verify signatures; others are left out. */
function usableKeys(document: unknown): readonly ProviderKey[] {
  return keySet.parse(document).keys.flatMap(({ kid, alg, use, ...jwk }) => {
    const key = publicKeyOf(jwk)
    if (key === undefined || (use !== undefined && use !== 'sig')) return []
    return [{ kid: textOf(kid), alg: textOf(alg), key }]
  })
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

function publicKeyOf(jwk: JsonWebKey): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const { namedCurve = '' } = key.asymmetricKeyDetails ?? {}
    const isUsable =
      key.asymmetricKeyType === 'ec' ? CURVES.includes(namedCurve) : publicKeyProblem(key) === undefined
    return isUsable ? key : undefined
  } catch {
    return undefined
  }
}
