import type { IDeployment } from 'kubernetes-models/apps/v1'
import { describe, expect, it } from 'vitest'
import { type ChartObject, ofKind } from './chart-object.ts'
import { renderChart } from './helm.ts'
import { renderBeside } from './live-deployments.ts'
import { minimalWith } from './values-matrix.ts'

const scaled = minimalWith({
  components: { login: { replicas: 3, autoscaling: { enabled: true, minReplicas: 2 } } },
})

function replicasOf(objects: readonly ChartObject[], name: string): number | undefined {
  return ofKind<IDeployment>(objects, 'Deployment').find(({ metadata }) => metadata.name === name)?.spec
    ?.replicas
}

describe('replicas of a Deployment with an autoscaler', () => {
  it('are the least at the first installation', async () => {
    const objects = await renderChart(scaled)
    expect([replicasOf(objects, 'signet-login'), replicasOf(objects, 'signet-keys')]).toEqual([2, 2])
    expect(replicasOf(await renderBeside({}, scaled), 'signet-login')).toBe(2)
  })

  it('are those of now at an upgrade, none included, and the values count for the other components', async () => {
    const objects = await renderBeside(
      { 'signet-login': { replicas: 6 }, 'signet-token': { replicas: 0 }, 'signet-keys': { replicas: 9 } },
      scaled,
    )
    expect(['signet-login', 'signet-token', 'signet-keys'].map((name) => replicasOf(objects, name))).toEqual([
      6, 0, 2,
    ])
  })

  it('are left to the autoscaler with keepReplicas false', async () => {
    const values = minimalWith({ defaults: { autoscaling: { enabled: true, keepReplicas: false } } })
    expect(
      replicasOf(await renderBeside({ 'signet-login': { replicas: 6 } }, values), 'signet-login'),
    ).toBeUndefined()
  })

  it('are the least of KEDA for the workers that it scales', async () => {
    const values = minimalWith({
      monitoring: { podMonitor: { enabled: true } },
      keda: { enabled: true, prometheus: 'http://prometheus:9090', minReplicas: 3 },
    })
    expect(replicasOf(await renderChart(values), 'signet-migration-worker')).toBe(3)
    expect(
      replicasOf(
        await renderBeside({ 'signet-migration-worker': { replicas: 8 } }, values),
        'signet-migration-worker',
      ),
    ).toBe(8)
  })
})
