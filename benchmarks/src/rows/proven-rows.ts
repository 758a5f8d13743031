// Rows of what clients that prove who they are add: bound tokens and their proofs (RFC 9449), pushed requests (RFC 9126).
import { randomUUID } from 'node:crypto'
import { createProofKey } from '@signet/testing/dpop-proof'
import { SignJWT } from 'jose'
import type { HttpRequest } from '../load/http-exchange.ts'
import { type Lane, laneOf, WrongAnswer } from '../load/lane.ts'
import { CLIENT_KEY, PLATFORM, REDIRECT_URI } from '../stage/directory-document.ts'
import type { Stage } from '../stage/stage.ts'
import { introspection } from './read-rows.ts'
import { formRequest, limitOf, sameLanes, usingUp } from './requests.ts'
import { freshToken, isSealed, sameBytes } from './right-answers.ts'
import type { Contender, LoadRow } from './row.ts'
import { codeFlow, SCOPE, signetEndpoints, signIn } from './sign-in.ts'

const TOKEN_PATH = '/oauth/v2/token'

const tokenRequest = ({ signet }: Stage) =>
  formRequest(signet.originOf('token'), TOKEN_PATH, {
    clientId: 'backend',
    form: { grant_type: 'client_credentials' },
  })

/** Makes token requests, each with a proof of its own. */
async function createProvenRequests(stage: Stage) {
  const key = await createProofKey()
  const request = tokenRequest(stage)
  return async () => {
    const dpop = await key.proof({ method: 'POST', url: `${stage.signet.issuer}${TOKEN_PATH}` })
    return { ...request, headers: { ...request.headers, dpop } }
  }
}

/** Introspects the token of one client, always the same one. */
async function introspectionOf(
  stage: Stage,
  name: Contender['name'],
  tokenRequestOfClient: HttpRequest,
  type = 'Bearer',
): Promise<Contender> {
  const { send } = stage.connections
  const { access_token: token } = JSON.parse((await send(tokenRequestOfClient)).body)
  const asked = introspection(stage, token)
  const answer = await send(asked)
  const isRight = sameBytes({ active: true, token_type: type })(answer)
  if (isRight === undefined) throw new WrongAnswer(asked, answer)
  const lane = laneOf(() => asked, isRight)
  return { name, pids: [stage.signet.replica('introspection').pid], lanes: sameLanes(stage, lane) }
}

/** The introspection of a bound token, beside that of a bearer token of the same client. */
export const introspectBound: LoadRow = {
  kind: 'load',
  name: 'introspect-bound',
  title: 'introspect a token that is bound to a key, always the same one',
  limit: 'the same at Signet with a bearer token',
  budgets: [{ of: 'limit', atLeast: 0.9 }],
  async open(stage) {
    const proven = await createProvenRequests(stage)
    return [
      await introspectionOf(stage, 'signet', await proven(), 'DPoP'),
      await introspectionOf(stage, 'limit', tokenRequest(stage)),
    ]
  },
}

/** The introspection of the token of a workload, beside that of a client with a secret. */
export const introspectWorkload: LoadRow = {
  kind: 'load',
  name: 'introspect-workload',
  title: 'introspect a token that a workload got, always the same one',
  limit: 'the same at Signet with a token of a client with a secret',
  budgets: [{ of: 'limit', atLeast: 0.9 }],
  async open(stage) {
    const assertion = await keyedAssertion(stage, { iss: PLATFORM.issuer, sub: PLATFORM.subject })
    return [
      await introspectionOf(stage, 'signet', keyedRequest(stage, assertion)),
      await introspectionOf(stage, 'limit', tokenRequest(stage)),
    ]
  },
}

/** More than the server can verify. */
const MOST_PROOFS_PER_SECOND = 6_000

export const clientCredentialsDpop: LoadRow = {
  kind: 'load',
  name: 'client-credentials-dpop',
  title: 'client_credentials, opaque, bound by a DPoP proof',
  limit: 'reads the form, verifies one ES256 signature in the thread pool',
  // The limit does not ask Redis whether a proof was used.
  budgets: [{ of: 'limit', atLeast: 0.25 }],
  async open(stage) {
    const { send } = stage.connections
    const proven = await createProvenRequests(stage)
    const sample = await proven()
    const answer = await send(sample)
    if (answer.status !== 200 || !answer.body.includes('"token_type":"DPoP"'))
      throw new WrongAnswer(sample, answer)
    return [
      {
        name: 'signet',
        pids: [stage.signet.replica('token').pid],
        ...usingUp(stage, {
          row: 'client-credentials-dpop',
          mostPerSecond: MOST_PROOFS_PER_SECOND,
          status: 200,
          async fresh(count) {
            const proofs: string[] = []
            while (proofs.length < count) proofs.push((await proven()).headers.dpop)
            return proofs
          },
          requestOf: (dpop) => ({ ...sample, headers: { ...sample.headers, dpop } }),
        }),
      },
      await limitOf(stage, { name: 'client-credentials-dpop', work: 'verify', like: sample, answer }),
    ]
  },
}

/** More than the server can verify. */
const MOST_ASSERTIONS_PER_SECOND = 6_000
const CLIENT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const KEYED_CLIENT = 'backend-keyed'

/** Signs an assertion as the client with a key, or as its platform. */
const keyedAssertion = ({ signet }: Stage, claims: Readonly<Record<string, string>>): Promise<string> =>
  new SignJWT({ ...claims, aud: signet.issuer })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(CLIENT_KEY.privateKey)

const keyedRequest = ({ signet }: Stage, clientAssertion: string): HttpRequest => ({
  ...{ origin: signet.originOf('token'), path: TOKEN_PATH, method: 'POST' },
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: KEYED_CLIENT },
    ...{ client_assertion_type: CLIENT_ASSERTION, client_assertion: clientAssertion },
  }).toString(),
})

/** The token that a platform gives to a workload is presented again and again; a client signs an assertion for each request. */
export const clientAuthWorkload: LoadRow = {
  kind: 'load',
  name: 'client-auth-workload',
  title: 'client_credentials with the token of a workload, whose key set is uploaded',
  limit: 'the same at Signet with private_key_jwt',
  budgets: [{ of: 'limit', atLeast: 0.8 }],
  async open(stage) {
    const assertion = (claims: Readonly<Record<string, string>>) => keyedAssertion(stage, claims)
    const requestOf = (text: string) => keyedRequest(stage, text)
    const ofPlatform = requestOf(await assertion({ iss: PLATFORM.issuer, sub: PLATFORM.subject }))
    const answer = await stage.connections.send(ofPlatform)
    const isRight = freshToken(isSealed)(answer)
    if (isRight === undefined) throw new WrongAnswer(ofPlatform, answer)
    const pids = [stage.signet.replica('token').pid]
    return [
      {
        ...{ name: 'signet', pids },
        lanes: sameLanes(
          stage,
          laneOf(
            () => ofPlatform,
            ({ status }) => status === 200,
          ),
        ),
      },
      {
        ...{ name: 'limit', pids },
        ...usingUp(stage, {
          ...{
            row: 'client-auth-workload',
            mostPerSecond: MOST_ASSERTIONS_PER_SECOND,
            status: 200,
            requestOf,
          },
          async fresh(count) {
            const assertions: string[] = []
            while (assertions.length < count)
              assertions.push(await assertion({ iss: KEYED_CLIENT, sub: KEYED_CLIENT, jti: randomUUID() }))
            return assertions
          },
        }),
      },
    ]
  },
}

/** Counted in whole flows: a pushed one has three requests, the other two. */
export const authorizePushed: LoadRow = {
  kind: 'load',
  name: 'authorize-pushed',
  title: 'push a request, authorize with a session, redeem the code (3 requests)',
  limit: 'the same at Signet without the push (2 requests)',
  budgets: [{ of: 'limit', atLeast: 0.8 }],
  async open(stage) {
    const pids = (['login', 'token'] as const).map((service) => stage.signet.replica(service).pid)
    const lanes = async (flow: (cookie: string) => Lane) => {
      const cookies: string[] = []
      while (cookies.length < stage.sizes.lanes) cookies.push(await signIn(stage))
      return cookies.map(flow)
    }
    const endpoints = signetEndpoints(stage)
    const form = { redirect_uri: REDIRECT_URI, response_type: 'code', scope: SCOPE }
    const push = formRequest(endpoints.authorize.origin, '/oauth/v2/par', { clientId: 'web', form })
    const plain = (cookie: string): Lane => {
      return async (send) => void (await codeFlow(endpoints, { clientId: 'web', cookie }, send))
    }
    const pushed = (cookie: string): Lane => {
      return async (send) => {
        const answer = await send(push)
        if (answer.status !== 201) throw new WrongAnswer(push, answer)
        const { request_uri: requestUri } = JSON.parse(answer.body) as { request_uri: string }
        await codeFlow(endpoints, { clientId: 'web', cookie, requestUri }, send)
      }
    }
    return [
      { name: 'signet', pids, lanes: await lanes(pushed) },
      { name: 'limit', pids, lanes: await lanes(plain) },
    ]
  },
}
