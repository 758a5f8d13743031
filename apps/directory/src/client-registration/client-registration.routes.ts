import { ApiError } from '@signet/admin-api/api-error'
import { readJsonObject } from '@signet/admin-api/json-body'
import { createErrorAnswers, toOAuthError } from '@signet/http/oauth-error-handler'
import type { RequestLimit } from '@signet/http/rate-limit'
import type { RefusalRecorder } from '@signet/http/refusals'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import type { Logger } from '@signet/platform/logger/logger'
import {
  ClientMetadataError,
  InvalidRequestError,
  InvalidTokenError,
  type OAuthError,
  RegistrationDeniedError,
  TemporarilyUnavailableError,
} from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { type Request, type RequestHandler, Router } from 'express'
import { memberOf } from './client-metadata.ts'
import type { ClientRegistrations } from './client-registrations.service.ts'

interface Dependencies {
  readonly registrations: ClientRegistrations
  /** Counts the requests of a network. */
  readonly limit: RequestLimit
  readonly logger: Logger
  readonly refusals: RefusalRecorder
}

const ITEM = `${ENDPOINT_PATHS.register}/:clientId`

/** The client registration endpoint (RFC 7591 section 3) and the client configuration endpoints (RFC 7592 section 2). */
export function clientRegistrationRoute({ registrations, limit, logger, refusals }: Dependencies): Router {
  const answerError = createErrorAnswers(logger, toRegistrationError, refusals)
  const handle =
    (status: number, work: (req: Request) => Promise<object | undefined>): RequestHandler =>
    async (req, res) => {
      try {
        const body = await work(req)
        if (body === undefined) res.status(status).end()
        else res.status(status).json(body)
      } catch (error) {
        answerError(error, req, res)
      }
    }
  const present = (req: Request) => {
    limit(clientAddress(req))
    const onFound = (id: string) => refusals.knowClient(req, id)
    return { token: bearerOf(req), clientAddress: clientAddress(req), onFound }
  }
  const clientIdOf = ({ params }: Request) => String(params.clientId)
  return Router()
    .post(
      ENDPOINT_PATHS.register,
      noStore,
      handle(201, async (req) => registrations.register(present(req), await bodyOf(req))),
    )
    .get(
      ITEM,
      noStore,
      handle(200, async (req) => registrations.read(present(req), clientIdOf(req))),
    )
    .put(
      ITEM,
      noStore,
      handle(200, async (req) => registrations.replace(present(req), clientIdOf(req), await bodyOf(req))),
    )
    .delete(
      ITEM,
      noStore,
      handle(204, async (req) => {
        await registrations.remove(present(req), clientIdOf(req))
        return undefined
      }),
    )
}

/** The names of the members of a key are its own. */
const bodyOf = (req: Request) => readJsonObject(req, { opaque: ['jwks'] })

function bearerOf({ headers }: Request): string {
  const [, token] = /^Bearer +([\x21-\x7E]+) *$/i.exec(headers.authorization ?? '') ?? []
  if (token !== undefined) return token
  throw new InvalidTokenError('the request needs a header Authorization: Bearer and a token', {
    reason: 'registration_token_missing',
    tokenGiven: false,
  })
}

/** The public part of any thrown value: the rules of applications speak of fields, registrations of members. */
function toRegistrationError(error: unknown): OAuthError {
  if (!(error instanceof ApiError)) return toOAuthError(error)
  const { reason, message, code, cause = error } = error
  if (code === 'UNAVAILABLE') return new TemporarilyUnavailableError(message, { reason, cause })
  if (code === 'PERMISSION_DENIED') {
    return new RegistrationDeniedError('an administrator keeps the registration from being changed', {
      reason: 'registration_frozen',
      cause,
    })
  }
  const problems = error
    .toResponseBody()
    .details.flatMap(({ field, rule }) =>
      typeof field === 'string' && typeof rule === 'string' ? [{ member: memberOf(field), rule }] : [],
    )
  if (problems.length > 0) {
    const isRedirectUri = problems.some(({ member }) => member.startsWith('redirect_uris'))
    const texts = problems.map(({ member, rule }) => (member === '' ? rule : `${member}: ${rule}`))
    return new ClientMetadataError(texts.join('; '), {
      code: isRedirectUri ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      reason: 'client_metadata_invalid',
      values: { others: { members: texts.join('; ') } },
      cause,
    })
  }
  return error.status < 500
    ? new InvalidRequestError(message, { reason, status: error.status, cause })
    : toOAuthError(error)
}
