import type { IDeployment } from 'kubernetes-models/apps/v1'
import { describe, expect, inject, it } from 'vitest'
import { minimalWith } from '../values-matrix.ts'
import { createNamespace, type Namespace, requireOutput, type StoredObject, withTag } from './programs.ts'

const login = (change: object) => minimalWith({ components: { login: change } })
const fixed = login({ replicas: 6 })
const scaled = login({ replicas: 6, autoscaling: { enabled: true } })

async function replicasOf(namespace: Namespace): Promise<number | undefined> {
  const deployment = (await namespace.objects()).get('Deployment signet-login')
  return (deployment as IDeployment & StoredObject).spec?.replicas
}

/** Writes the replicas of a Deployment as an autoscaler does, through the subresource `scale`. */
async function scale(namespace: Namespace, replicas: number): Promise<void> {
  await requireOutput(namespace.kubectl(['scale', 'deployment/signet-login', `--replicas=${replicas}`]))
}

describe('the replicas of a Deployment', () => {
  it('are kept when its autoscaler is turned on', async () => {
    const namespace = await createNamespace(inject('kubeconfig'), 'autoscaler-on')
    await requireOutput(namespace.helm(['install', '--no-hooks'], fixed))
    expect(await replicasOf(namespace)).toBe(6)
    await requireOutput(namespace.helm(['upgrade', '--no-hooks'], scaled))
    expect(await replicasOf(namespace)).toBe(6)
  })

  it('stay those of the autoscaler in an upgrade, and in one to the values of before', async () => {
    const namespace = await createNamespace(inject('kubeconfig'), 'autoscaler-works')
    await requireOutput(namespace.helm(['install', '--no-hooks'], scaled))
    await scale(namespace, 9)
    await requireOutput(namespace.helm(['upgrade', '--no-hooks'], withTag(scaled, 'next')))
    expect(await replicasOf(namespace)).toBe(9)
    await scale(namespace, 8)
    await requireOutput(namespace.helm(['upgrade', '--no-hooks'], scaled))
    expect(await replicasOf(namespace)).toBe(8)
  })

  it('keep `helm rollback` from setting the number of the first install', async () => {
    const namespace = await createNamespace(inject('kubeconfig'), 'autoscaler-rollback')
    await requireOutput(namespace.helm(['install', '--no-hooks'], scaled))
    await scale(namespace, 9)
    await requireOutput(namespace.helm(['upgrade', '--no-hooks'], withTag(scaled, 'next')))
    const answer = await namespace.helm(['rollback', '1', '--no-hooks'])
    expect(answer).toMatchObject({ code: 1, problems: expect.stringContaining('.spec.replicas') })
    expect(await replicasOf(namespace)).toBe(9)
    await requireOutput(namespace.helm(['upgrade', '--no-hooks'], scaled))
    expect(await replicasOf(namespace)).toBe(9)
  })
})
