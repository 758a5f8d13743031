// node-oidc-provider with its tokens in Redis, set up for the same clients and lifetimes.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Redis } from 'ioredis'
import Provider, { type Configuration } from 'oidc-provider'
import { serveContender } from './contender-main.ts'
import { redisAdapter } from './peer-adapter.ts'

export interface PeerSettings {
  readonly redisUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

const RESOURCE = 'https://api.example.com'
const SIGNING_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const HOUR = 3_600
const SCOPE = 'openid profile email offline_access'

await serveContender<PeerSettings>(async (settings) => {
  const redis = new Redis(settings.redisUrl)
  const provider = new Provider('http://localhost', configuration(settings, redisAdapter(redis)))
  const handle = provider.callback()

  /** Tokens as a sign-in makes them, without the pages of a sign-in. */
  async function mint(kind: string | null): Promise<string> {
    const client = await provider.Client.find(settings.clientId)
    if (client === undefined) throw new Error('the client is not registered')
    const accountId = randomUUID()
    const grant = new provider.Grant({ accountId, clientId: settings.clientId })
    grant.addOIDCScope(SCOPE)
    const grantId = await grant.save()
    const token = { accountId, client, grantId, scope: SCOPE, gty: 'authorization_code' }
    return kind === 'refresh'
      ? new provider.RefreshToken({ ...token, authTime: Math.floor(Date.now() / 1000), rotations: 0 }).save()
      : new provider.AccessToken(token).save()
  }

  return {
    listener(req: IncomingMessage, res: ServerResponse) {
      if (req.url?.startsWith('/mint') !== true) return handle(req, res)
      const { searchParams } = new URL(req.url, 'http://localhost')
      const wanted = Array.from({ length: Number(searchParams.get('count')) })
      return Promise.all(wanted.map(() => mint(searchParams.get('kind')))).then((tokens) =>
        res.end(JSON.stringify(tokens)),
      )
    },
  }
})

function configuration(
  { clientId, clientSecret, redirectUri }: PeerSettings,
  adapter: Configuration['adapter'],
): Configuration {
  return {
    adapter,
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        redirect_uris: [redirectUri],
        scope: `${SCOPE} api`,
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name', 'locale'] },
    scopes: ['openid', 'offline_access', 'profile', 'email', 'api'],
    jwks: { keys: [{ ...SIGNING_KEY.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
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
    rotateRefreshToken: true,
    ttl: { AccessToken: HOUR, ClientCredentials: HOUR, RefreshToken: 720 * HOUR, Grant: 720 * HOUR },
  }
}

export { RESOURCE }
