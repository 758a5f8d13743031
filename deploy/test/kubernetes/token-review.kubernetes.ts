import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDataDirectory, type DataDirectory } from '@signet/testing/system/installation'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument } from '@signet/testing/system/test-directory'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { addPod, projectedToken, withoutWarnings } from './pods.ts'
import { createNamespace, type Namespace, requireOutput } from './programs.ts'

// With TokenReview the token of a pod ends with the pod.

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const CLIENT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const { issuer: cluster, certificateAuthority } = inject('apiServer')
let shop: Namespace
let identity: Namespace
let folder: string
let data: DataDirectory
let signet: StandaloneSystem

beforeAll(async () => {
  const kubeconfig = inject('kubeconfig')
  shop = await createNamespace(kubeconfig, 'review-shop')
  identity = await createNamespace(kubeconfig, 'review-identity')
  folder = await temporaryFolder('token-review')
  await addPod(identity, 'signet-token')
  await writeOwnToken()
  const keySet = JSON.parse(await requireOutput(shop.kubectl(['get', '--raw', '/openid/v1/jwks'])))
  const trustedIssuers = [
    { id: 'cluster', issuer: cluster, subject: 'system:serviceaccount:review-shop:orders', keySet },
  ]
  const application = {
    ...{
      id: 'orders-application',
      clientId: 'orders-application',
      name: 'Orders',
      type: 'api',
      trustedIssuers,
    },
    ...{ authMethod: 'private_key_jwt', grantTypes: ['client_credentials'] },
  }
  data = await createDataDirectory()
  signet = await startSystem({
    ...{ mode: 'standalone', data },
    document: bootstrapDocument({
      serviceUsers: [{ id: 'orders', userName: 'orders', name: 'Orders', trustedIssuers }],
      moreApplications: [application],
    }),
    env: {
      SIGNET_TOKEN_REVIEWS: JSON.stringify([
        { issuer: cluster, url: cluster, tokenFile: join(folder, 'token'), caFile: certificateAuthority },
      ]),
    },
  })
}, 240_000)

afterAll(async () => {
  await signet?.stop()
  await data?.remove()
  await rm(folder, { recursive: true, force: true })
})

/** The projected token of the pod of Signet itself, for the API server. */
async function writeOwnToken(): Promise<void> {
  await writeFile(
    join(folder, 'token'),
    await projectedToken(identity, { account: 'signet-token', audience: cluster }),
  )
}

/** Every way to present the token of a pod; the API that is asked with it answers the same error. */
const WAYS = {
  'as an assertion of a service user': (assertion: string) =>
    post('/oauth/v2/token', { grant_type: JWT_BEARER, client_id: 'orders', assertion, scope: 'openid' }),
  'for a token of an application': (assertion: string) =>
    post('/oauth/v2/token', { grant_type: 'client_credentials', ...client(assertion) }),
  'for introspection': (assertion: string) =>
    post('/oauth/v2/introspect', { token: 'text', ...client(assertion) }),
  'for a revocation': (assertion: string) =>
    post('/oauth/v2/revoke', { token: 'text', ...client(assertion) }),
}

const client = (assertion: string) => ({
  ...{ client_id: 'orders-application', client_assertion_type: CLIENT_ASSERTION },
  client_assertion: assertion,
})

async function post(path: string, form: Readonly<Record<string, string>>) {
  const { status, json, headers } = await signet.post(path, form, { form: {}, headers: {} })
  return {
    status,
    rule: json?.error_description as string | undefined,
    retryAfter: headers.get('retry-after'),
  }
}

const forAll = (expected: object, assertion: string) =>
  Promise.all(
    Object.entries(WAYS).map(async ([way, present]) =>
      expect(await present(assertion), way).toMatchObject(expected),
    ),
  )

describe('the token of a pod', () => {
  it('is refused for now while Signet may not create TokenReviews', async () => {
    await addPod(shop, 'orders')
    const token = await projectedToken(shop, { account: 'orders', audience: signet.issuer })
    await forAll({ status: 503, retryAfter: '1' }, token)
  })

  it('counts while the pod runs, and at no endpoint once it was deleted', async () => {
    const reviews = ['--verb=create', '--resource=tokenreviews.authentication.k8s.io']
    await requireOutput(shop.kubectl(['create', 'clusterrole', 'signet-token-review', ...reviews]))
    await requireOutput(
      shop.kubectl([
        ...['create', 'clusterrolebinding', 'signet-token-review', '--clusterrole=signet-token-review'],
        '--serviceaccount=review-identity:signet-token',
      ]),
    )
    await addPod(shop, 'ending', 'orders')
    const token = await projectedToken(shop, { account: 'orders', pod: 'ending', audience: signet.issuer })
    await expect.poll(() => WAYS['for a revocation'](token)).toMatchObject({ status: 200 })
    await forAll({ status: 200 }, token)
    await requireOutput(shop.kubectl(['delete', 'pod', 'ending', '--now', '--wait']).then(withoutWarnings))
    // The API server keeps its own answers for ten seconds.
    await expect.poll(() => WAYS['for a revocation'](token)).toMatchObject({ status: 401 })
    await forAll({ rule: expect.stringContaining('no longer accepts it') }, token)
  })

  it('of another pod still counts', async () => {
    const token = await projectedToken(shop, { account: 'orders', audience: signet.issuer })
    await forAll({ status: 200 }, token)
  })

  it('is refused for now when the own token is missing, until it is there again', async () => {
    await rm(join(folder, 'token'))
    const token = await projectedToken(shop, { account: 'orders', audience: signet.issuer })
    await forAll({ status: 503 }, token)
    await writeOwnToken()
    await forAll({ status: 200 }, token)
  })
})
