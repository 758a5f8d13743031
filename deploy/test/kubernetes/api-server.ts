import { delimiter } from 'node:path'
import { type KubernetesApiServer, startKubernetesApiServer } from '@signet/testing/kubernetes-api-server'
import { stopWithParent } from '@signet/testing/stop-with-parent'
import type { TestProject } from 'vitest/node'
import { runProgram } from '../helm.ts'
import { environmentOf, list, requireOutput } from './programs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly kubeconfig: string
    readonly apiServer: Pick<KubernetesApiServer, 'issuer' | 'certificateAuthority'>
  }
}

/** Objects of a cluster that the values of the tests name: admission refuses pods without them. */
const OF_THE_CLUSTER = [
  ...['platform', 'high'].map((name) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value: 1000,
  })),
  { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'gvisor' }, handler: 'runsc' },
]

let server: KubernetesApiServer | undefined

/** Starts the API server with the definitions of the operators whose objects the chart makes. */
export async function setup(project: TestProject): Promise<void> {
  stopWithParent(teardown)
  const definitions = process.env.SIGNET_TEST_KUBERNETES_DEFINITIONS
  if (!definitions) throw new Error('run these tests with `npm run test:kubernetes`')
  server = await startKubernetesApiServer()
  const { kubeconfig, issuer, certificateAuthority } = server
  const kubectl = async (args: readonly string[], input = '') =>
    requireOutput(runProgram('kubectl', args, input, environmentOf(kubeconfig)))
  const files = definitions.split(delimiter).flatMap((file) => ['--filename', file])
  await kubectl(['apply', '--server-side', ...files])
  await kubectl(['wait', '--for=condition=Established', 'customresourcedefinitions', '--all'])
  await kubectl(['apply', '--filename', '-'], list(OF_THE_CLUSTER))
  project.provide('kubeconfig', kubeconfig)
  project.provide('apiServer', { issuer, certificateAuthority })
}

export async function teardown(): Promise<void> {
  await server?.stop()
}
