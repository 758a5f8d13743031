import { sign } from 'node:crypto'
import { ROBOT_KEY } from '../stage/directory-document.ts'
import { plainRow } from './plain-row.ts'
import { freshToken, isSealed, sameToken } from './right-answers.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const LIFETIME_SECONDS = 3_000

/** The assertion may be used until it expires, so that making one does not take the generator's time. */
export const jwtBearer = plainRow({
  name: 'jwt-bearer',
  title: 'JWT bearer (ES256 assertion), opaque, with an ID token',
  limit: 'reads the form, makes one RS256 signature in the thread pool, as the ID token needs it',
  work: 'RS256',
  arrivalsPerSecond: 300,
  budgets: [],
  service: 'token',
  signet: async ({ signet }) => ({
    request: {
      origin: signet.originOf('token'),
      path: '/oauth/v2/token',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: GRANT_TYPE,
        assertion: assertionFor(signet.issuer),
      }).toString(),
    },
    expect: freshToken(isSealed),
    expectOfLimit: sameToken(isSealed),
  }),
})

function assertionFor(audience: string): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: 'robot', sub: 'robot', aud: audience, iat, exp: iat + LIFETIME_SECONDS }
  const signed = [{ alg: 'ES256', kid: 'k1' }, claims].map(base64urlOf).join('.')
  const key = { key: ROBOT_KEY.privateKey, dsaEncoding: 'ieee-p1363' as const }
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

const base64urlOf = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
