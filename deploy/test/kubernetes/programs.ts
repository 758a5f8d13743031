import { dirname } from 'node:path'
import type { IJob } from 'kubernetes-models/batch/v1'
import { stringify } from 'yaml'
import type { ChartObject } from '../chart-object.ts'
import { CHART, type HelmAnswer, runProgram, type Values } from '../helm.ts'

/** An object as the API server stores it. */
export interface StoredObject extends ChartObject {
  readonly metadata: ChartObject['metadata'] & {
    readonly resourceVersion: string
    readonly creationTimestamp: string
  }
}

/**
 * Creates a namespace that enforces the *restricted* Pod Security Standard, with the ServiceAccount that a controller would
 * make. `user` runs Helm, which then has the permissions of that user alone.
 */
export async function createNamespace(kubeconfig: string, name: string, user?: string) {
  const run = (program: 'helm' | 'kubectl', args: readonly string[], input = '') =>
    runProgram(program, [...args, '--namespace', name], input, environmentOf(kubeconfig))
  const kubectl = async (args: readonly string[], input?: string) => run('kubectl', args, input)
  const helm = async ([command = '', ...args]: readonly string[], values?: Values) => {
    const chart = values === undefined ? [] : [CHART, '--values', '-']
    const as = user === undefined ? [] : ['--kube-as-user', user]
    return run('helm', [command, 'signet', ...chart, ...args, ...as], stringify(values ?? {}))
  }
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  await requireOutput(
    kubectl(
      ['apply', '-f', '-'],
      list([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
      ]),
    ),
  )
  return {
    name,
    kubectl,
    /** Runs Helm on the release `signet`; commands that install take the chart with these values. */
    helm,
    /** The same while `jobs` end as a Job controller would end them. */
    helmEndingJobs: async (args: readonly string[], values: Values, jobs: 'Complete' | 'Failed') => {
      let running = true
      const answer = helm(args, values).finally(() => {
        running = false
      })
      while (running) await endJobs(kubectl, jobs)
      return await answer
    },
    /** Every object in it by kind and name, without the records of Helm. */
    objects: async (): Promise<ReadonlyMap<string, StoredObject>> => {
      const kinds = await requireOutput(
        kubectl(['api-resources', '--namespaced', '--verbs=list', '--output=name']),
      )
      const listed = kinds.split('\n').filter((kind) => kind !== '' && !/^(events|endpoints$)/.test(kind))
      const output = await requireOutput(kubectl(['get', listed.join(), '--output=json']))
      const { items } = JSON.parse(output) as { items: StoredObject[] }
      const kept = items.filter(({ metadata }) => metadata.labels?.owner !== 'helm')
      return new Map(kept.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
    },
  }
}

export type Namespace = Awaited<ReturnType<typeof createNamespace>>

/** The environment of programs that use this configuration file. */
export const environmentOf = (kubeconfig: string) => ({ KUBECONFIG: kubeconfig, HOME: dirname(kubeconfig) })

/** Values with another tag of the images. */
export const withTag = (values: Values, tag: string): Values => ({
  ...values,
  image: { ...(values.image as Values), tag, digests: {} },
})

/** Helm logs this when it stops watching what it waited for, and goes on. */
const END_OF_WATCH = /^.*"Warning: watch ended with error".*context canceled.*\n/gm

/** The output of a command that has to succeed without a warning. */
export async function requireOutput(running: Promise<HelmAnswer>): Promise<string> {
  const { code, output, problems } = await running
  if (code !== 0 || problems.replaceAll(END_OF_WATCH, '') !== '') throw new Error(`code ${code}: ${problems}`)
  return output
}

/** Returns a document of several objects, as kubectl reads it. */
export function list(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
}

/** Writes the status of Jobs that have none. Validation of the API server refuses a status that no controller would write. */
async function endJobs(kubectl: Namespace['kubectl'], outcome: 'Complete' | 'Failed'): Promise<void> {
  const { items } = JSON.parse(await requireOutput(kubectl(['get', 'jobs', '--output=json']))) as {
    items: (IJob & StoredObject)[]
  }
  for (const { metadata, status } of items) {
    if ((status?.conditions ?? []).length > 0) continue
    const time = metadata.creationTimestamp
    const before = outcome === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget'
    const conditions = [before, outcome].map((type) => ({ type, status: 'True', lastTransitionTime: time }))
    const ended = {
      startTime: time,
      conditions,
      ...(outcome === 'Complete' ? { completionTime: time, succeeded: 1 } : { failed: 1 }),
    }
    // A Job may be replaced in between.
    await kubectl([
      'patch',
      'job',
      metadata.name,
      '--subresource=status',
      '--type=merge',
      '--patch',
      JSON.stringify({ status: ended }),
    ])
  }
}
