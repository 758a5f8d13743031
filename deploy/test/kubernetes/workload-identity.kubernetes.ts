import { createDataDirectory, type DataDirectory } from '@signet/testing/system/installation'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { OWNERS } from './assertion-owners.ts'
import { addPod, projectedToken, type WantedToken, withoutWarnings } from './pods.ts'
import { createNamespace, type Namespace, requireOutput } from './programs.ts'

// A pod gets tokens of Signet with the service account token that the API server issues for it, and no stored secret.

const { issuer: cluster, certificateAuthority } = inject('apiServer')
let shop: Namespace
let other: Namespace
let data: DataDirectory
let signet: StandaloneSystem

beforeAll(async () => {
  const kubeconfig = inject('kubeconfig')
  shop = await createNamespace(kubeconfig, 'shop')
  other = await createNamespace(kubeconfig, 'other')
  await addPod(shop, 'orders')
  await addPod(shop, 'ended', 'orders')
  await addPod(shop, 'payments')
  await addPod(other, 'orders')
  await permitDiscovery(shop)
  const jwks = JSON.parse(await requireOutput(shop.kubectl(['get', '--raw', '/openid/v1/jwks'])))
  data = await createDataDirectory()
  signet = await startSystem({
    ...{ mode: 'standalone', data, document: directoryWith(jwks) },
    env: { NODE_EXTRA_CA_CERTS: certificateAuthority },
  })
}, 240_000)

afterAll(async () => {
  await signet?.stop()
  await data?.remove()
})

/** A service user and an application for each way to the keys of the cluster. */
function directoryWith(keySet: object) {
  const trust = { id: 'cluster', issuer: cluster, subject: 'system:serviceaccount:shop:orders' }
  const trusts = { uploaded: { ...trust, keySet }, discovered: trust }
  const owners = Object.entries(trusts).map(([id, one]) => ({ id, trustedIssuers: [one] }))
  return bootstrapDocument({
    serviceUsers: owners.map((owner) => ({ ...owner, userName: owner.id, name: owner.id })),
    moreApplications: owners.map(({ id, trustedIssuers }) => ({
      ...{ id: `${id}-application`, clientId: `${id}-application`, name: id, type: 'api', trustedIssuers },
      ...{ authMethod: 'private_key_jwt', grantTypes: ['client_credentials'] },
    })),
  })
}

/** Shows callers without credentials the discovery document and the keys, as the documentation of Kubernetes describes. */
async function permitDiscovery({ kubectl }: Namespace): Promise<void> {
  await requireOutput(
    kubectl([
      ...['create', 'clusterrolebinding', 'issuer-discovery', '--group=system:unauthenticated'],
      '--clusterrole=system:service-account-issuer-discovery',
    ]),
  )
}

/** The token of a pod of the service account `orders`, for Signet, unless another is wanted. */
const tokenOf = (
  namespace: Namespace,
  { account = 'orders', audience = signet.issuer, ...wanted }: Partial<WantedToken> = {},
) => projectedToken(namespace, { account, audience, ...wanted })

describe.each(Object.entries(OWNERS))('with the token of a pod %s', (_, authenticate) => {
  it.each([
    ['whose key set was uploaded', 'uploaded'],
    ['whose keys are read by discovery', 'discovered'],
  ])('authenticates at a cluster %s', async (_way, owner) => {
    expect(await authenticate(signet, owner, await tokenOf(shop))).toMatchObject({
      status: 200,
      type: 'Bearer',
    })
  })

  it.each<[fault: string, make: () => Promise<string>, rule: string]>([
    ['another namespace', () => tokenOf(other), 'sub differ'],
    ['another service account', () => tokenOf(shop, { account: 'payments' }), 'sub differ'],
    ['another audience', () => tokenOf(shop, { audience: 'https://else.example' }), 'aud must be'],
    ['the API server as audience', () => tokenOf(shop, { audience: cluster }), 'aud must be'],
  ])('is refused with %s', async (_fault, make, rule) => {
    const token = await make()
    for (const owner of ['uploaded', 'discovered']) {
      const { status, rule: given } = await authenticate(signet, owner, token)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(given).toContain(rule)
    }
  })

  it('authenticates until the token ends, also when its pod is deleted', async () => {
    const token = await tokenOf(shop, { pod: 'ended' })
    await requireOutput(shop.kubectl(['delete', 'pod', 'ended', '--now', '--wait']).then(withoutWarnings))
    expect(await authenticate(signet, 'uploaded', token)).toMatchObject({ status: 200 })
    await addPod(shop, 'ended', 'orders')
  })
})
