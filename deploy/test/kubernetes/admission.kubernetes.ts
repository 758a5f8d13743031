import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type ChartObject, ofKind, podsOf } from '../chart-object.ts'
import { objectsIn, renderText } from '../helm.ts'
import { MATRIX, minimal } from '../values-matrix.ts'
import { createNamespace, list, type Namespace, requireOutput } from './programs.ts'

const DRY_RUN = ['--dry-run=server', '--validate=strict', '--filename', '-']

let namespace: Namespace
beforeAll(async () => {
  namespace = await createNamespace(inject('kubeconfig'), 'identity')
})

/** Creates the ServiceAccounts, which Helm creates before the pods that name them. */
async function createAccounts(objects: readonly ChartObject[]): Promise<void> {
  const accounts = ofKind(objects, 'ServiceAccount')
  const others = ['existing'].map((name) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name },
  }))
  await requireOutput(
    namespace.kubectl(['apply', '--server-side', '--filename', '-'], list([...accounts, ...others])),
  )
}

it('has the values of every file in the folder ci', () => {
  const files = readdirSync(new URL('../../helm/signet/ci', import.meta.url))
  for (const file of files) expect(Object.keys(MATRIX)).toContain(file.replace('-values.yaml', ''))
})

describe.each(Object.entries(MATRIX))('the API server, with values: %s', (_, values) => {
  it('accepts every object without a warning, unknown or repeated fields refused', async () => {
    const text = await renderText(values)
    await createAccounts(objectsIn(text))
    const output = await requireOutput(namespace.kubectl(['apply', '--server-side', ...DRY_RUN], text))
    expect(output.trim().split('\n')).toHaveLength(objectsIn(text).length)
  })

  it('admits every pod, hooks and tests included, into a namespace that enforces `restricted`', async () => {
    const objects = objectsIn(await renderText(values))
    await createAccounts(objects)
    const pods = podsOf(objects).map(({ labels, spec }, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${index}`, labels },
      spec: { restartPolicy: 'Always', ...spec },
    }))
    const output = await requireOutput(namespace.kubectl(['create', ...DRY_RUN], list(pods)))
    expect(output.trim().split('\n')).toHaveLength(pods.length)
  })
})

describe('the check', () => {
  it('finds an unknown field, and a pod that runs as root', async () => {
    const text = await renderText(minimal)
    const misspelt = text.replaceAll('minReadySeconds:', 'minReadySecond:')
    expect(await namespace.kubectl(['apply', '--server-side', ...DRY_RUN], misspelt)).toMatchObject({
      code: 1,
      problems: expect.stringContaining('minReadySecond'),
    })
    const [pod] = podsOf(objectsIn(text))
    const privileged = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'root' },
      spec: { ...pod?.spec, serviceAccountName: 'default', securityContext: { runAsNonRoot: false } },
    }
    expect(await namespace.kubectl(['create', ...DRY_RUN], list([privileged]))).toMatchObject({
      code: 1,
      problems: expect.stringContaining('violates PodSecurity "restricted'),
    })
  })
})
