// node-oidc-provider with its tokens in Redis, set up for the same clients and lifetimes.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Redis } from 'ioredis'
import type { Adapter, AdapterPayload, Configuration } from 'oidc-provider'
import Provider from 'oidc-provider'
import { serveContender } from './contender-main.ts'

export interface PeerSettings {
  readonly redisUrl: string
  readonly clientId: string
  /** Id of the client whose ID tokens are signed with ES256. */
  readonly es256ClientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

const RESOURCE = 'https://api.example.com'
const SIGNING_KEYS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
}
const HOUR = 3_600
const SCOPE = 'openid profile email offline_access'

await serveContender<PeerSettings>(async (settings) => {
  const redis = new Redis(settings.redisUrl)
  const provider = new Provider('http://localhost', configuration(settings, redisAdapter(redis)))
  const handle = provider.callback()

  /** Tokens as a sign-in makes them, without the pages of a sign-in. */
  async function mint(kind: string | null, clientId: string): Promise<string> {
    const client = await provider.Client.find(clientId)
    if (client === undefined) throw new Error('the client is not registered')
    const accountId = randomUUID()
    const grant = new provider.Grant({ accountId, clientId })
    grant.addOIDCScope(SCOPE)
    const grantId = await grant.save()
    const token = { accountId, client, grantId, scope: SCOPE, gty: 'authorization_code' }
    return kind === 'refresh'
      ? new provider.RefreshToken({ ...token, authTime: Math.floor(Date.now() / 1000), rotations: 0 }).save()
      : new provider.AccessToken(token).save()
  }

  /** Signs a new user in without a page and grants what the client asked for. */
  async function finishSignIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(req, res)
    const accountId = randomUUID()
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
    grant.addOIDCScope(SCOPE)
    const grantId = await grant.save()
    await provider.interactionFinished(req, res, { login: { accountId }, consent: { grantId } })
  }

  return {
    listener(req: IncomingMessage, res: ServerResponse) {
      if (req.url?.startsWith('/interaction/')) return finishSignIn(req, res)
      if (req.url?.startsWith('/mint') !== true) return handle(req, res)
      const { searchParams } = new URL(req.url, 'http://localhost')
      const wanted = Array.from({ length: Number(searchParams.get('count')) })
      const clientId = searchParams.get('client') ?? settings.clientId
      return Promise.all(wanted.map(() => mint(searchParams.get('kind'), clientId))).then((tokens) =>
        res.end(JSON.stringify(tokens)),
      )
    },
  }
})

function configuration(
  { clientId, es256ClientId, clientSecret, redirectUri }: PeerSettings,
  adapter: Configuration['adapter'],
): Configuration {
  const client = {
    client_secret: clientSecret,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    redirect_uris: [redirectUri],
    scope: `${SCOPE} api`,
  }
  return {
    adapter,
    clients: [
      { ...client, client_id: clientId },
      { ...client, client_id: es256ClientId, id_token_signed_response_alg: 'ES256' },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name', 'locale'] },
    scopes: ['openid', 'offline_access', 'profile', 'email', 'api'],
    jwks: {
      keys: Object.entries(SIGNING_KEYS).map(([alg, key]) => ({
        ...key.export({ format: 'jwk' }),
        use: 'sig',
        alg,
      })),
    },
    cookies: { keys: [clientSecret] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        getResourceServerInfo: () => ({
          scope: 'api',
          accessTokenFormat: 'jwt',
          accessTokenTTL: HOUR,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: 'alice@acme.localhost',
        email_verified: true,
        name: 'Alice Example',
        given_name: 'Alice',
        family_name: 'Example',
        locale: 'en',
      }),
    }),
    // Signet issues one for `offline_access` without a prompt.
    issueRefreshToken: async () => true,
    pkce: { required: () => false },
    rotateRefreshToken: true,
    ttl: { AccessToken: HOUR, ClientCredentials: HOUR, RefreshToken: 720 * HOUR, Grant: 720 * HOUR },
  }
}

export { RESOURCE }

/**
 * Keeps what node-oidc-provider stores in Redis: one round trip to find something, one to store it. Only what the
 * measured requests need is found by another key than its id.
 */
function redisAdapter(redis: Redis): (name: string) => Adapter {
  return (name) => {
    const keyOf = (id: string) => `peer:${name}:${id}`
    const consumedOf = (id: string) => `${keyOf(id)}:consumed`
    const grantOf = (grantId: string) => `peer:grant:${grantId}`
    const uidOf = (uid: string) => `peer:${name}:uid:${uid}`
    const notUsed = async () => {
      throw new Error(`${name} is not looked up like this by anything that is measured`)
    }
    return {
      async upsert(id, payload, expiresIn) {
        const storing = redis.multi().set(keyOf(id), JSON.stringify(payload), 'EX', expiresIn ?? 3_600)
        if (payload.grantId !== undefined) {
          storing.sadd(grantOf(payload.grantId), keyOf(id))
          storing.expire(grantOf(payload.grantId), expiresIn ?? 3_600)
        }
        if (payload.uid !== undefined) storing.set(uidOf(payload.uid), id, 'EX', expiresIn ?? 3_600)
        await storing.exec()
      },
      async find(id) {
        const [text, consumed] = await redis.mget(keyOf(id), consumedOf(id))
        if (typeof text !== 'string') return undefined
        const payload = JSON.parse(text) as AdapterPayload
        return typeof consumed === 'string' ? { ...payload, consumed: Number(consumed) } : payload
      },
      async findByUid(uid) {
        const id = await redis.get(uidOf(uid))
        return id === null ? undefined : this.find(id)
      },
      findByUserCode: notUsed,
      async consume(id) {
        await redis.set(consumedOf(id), Math.floor(Date.now() / 1000), 'EX', 3_600)
      },
      async destroy(id) {
        await redis.del(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        const keys = await redis.smembers(grantOf(grantId))
        await redis.del(grantOf(grantId), ...keys)
      },
    }
  }
}
