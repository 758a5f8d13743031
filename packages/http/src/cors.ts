import type { IncomingMessage } from 'node:http'
import type { Logger } from '@signet/platform/logger/logger'
import type { Answer, Cors, HeaderList } from './endpoint.ts'
import { requestContext } from './request-context.ts'

const PUBLIC: HeaderList = ['Access-Control-Allow-Origin', '*']
const PUBLIC_PREFLIGHT: Answer = {
  status: 204,
  headers: [...PUBLIC, 'Access-Control-Allow-Methods', 'GET, HEAD', 'Access-Control-Max-Age', '86400'],
  body: '',
}

/**
 * Lets pages of any origin read a public document such as the key set. Without credentials, so a page learns nothing
 * that its own server could not fetch.
 */
export const publicCors: Cors = { headers: () => PUBLIC, preflight: () => PUBLIC_PREFLIGHT }

/** Decides whether pages of an origin belong to an application of the instance. */
export type IsRegisteredOrigin = (origin: string) => Promise<boolean>

// No origin is longer.
const LONGEST_ORIGIN = 300
const VARY: HeaderList = ['Vary', 'Origin']

/**
 * Lets pages of registered origins read an endpoint. Without credentials: tokens travel in headers and bodies that the
 * page has put there itself, never in cookies. A browser names no reason for what it blocks; the log line does.
 */
export function registeredCors(
  isRegistered: IsRegisteredOrigin,
  methods: readonly string[],
  logger: Logger,
): Cors {
  async function headersOf(req: IncomingMessage, origin: string): Promise<HeaderList> {
    if (origin.length > LONGEST_ORIGIN || !(await isRegistered(origin))) {
      const received = origin.slice(0, LONGEST_ORIGIN)
      const context = requestContext(req)
      context.refusedOrigin = received
      logger.info('origin_not_allowed', { requestId: context.requestId, received })
      return VARY
    }
    return [
      ...VARY,
      ...['Access-Control-Allow-Origin', origin],
      ...['Access-Control-Expose-Headers', 'WWW-Authenticate, DPoP-Nonce, Retry-After, X-Request-Id'],
    ]
  }
  const allowed: HeaderList = [
    ...['Access-Control-Allow-Methods', methods.join(', ')],
    ...['Access-Control-Allow-Headers', 'Authorization, Content-Type, DPoP'],
    ...['Access-Control-Max-Age', '600'],
  ]
  return {
    headers: (req) => (req.headers.origin === undefined ? VARY : headersOf(req, req.headers.origin)),
    async preflight(req) {
      const { origin } = req.headers
      const headers = origin === undefined ? VARY : await headersOf(req, origin)
      return { status: 204, headers: headers === VARY ? VARY : [...headers, ...allowed], body: '' }
    },
  }
}
