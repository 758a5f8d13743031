import { readdirSync, readFileSync } from 'node:fs'
import { Certificate } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate'
import { Issuer } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Issuer'
import { ExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1/ExternalSecret'
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import { type IScaledObject, ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor'
import { Probe } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/Probe'
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule'
import type { IDeployment } from 'kubernetes-models/apps/v1'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { CronJob } from 'kubernetes-models/batch/v1/CronJob'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IService } from 'kubernetes-models/v1'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Pod } from 'kubernetes-models/v1/Pod'
import { Service } from 'kubernetes-models/v1/Service'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ChartObject, ofKind, podsOf } from './chart-object.ts'
import { helm, objectsIn, renderText } from './helm.ts'
import { restrictedProblems } from './restricted-profile.ts'
import { MATRIX } from './values-matrix.ts'

/** Each has a check that was compiled from the schema of its API and reads every field that the schema knows. */
const MODELS = [
  Certificate,
  ConfigMap,
  CronJob,
  Deployment,
  ExternalSecret,
  HorizontalPodAutoscaler,
  HTTPRoute,
  Ingress,
  Issuer,
  Job,
  NetworkPolicy,
  Pod,
  PodDisruptionBudget,
  PodMonitor,
  Probe,
  PrometheusRule,
  ScaledObject,
  Service,
  ServiceAccount,
]

/**
 * The problems for which the API server would refuse an object or, for a misspelt field, silently drop it: one line
 * each.
 */
function schemaProblems(object: ChartObject): readonly string[] {
  const { apiVersion, kind } = object
  const name = `${apiVersion} ${kind} ${object.metadata.name}`
  const model = MODELS.find((known) => known.apiVersion === apiVersion && known.kind === kind)
  if (model === undefined) return [`${name}: no schema is known`]
  const { watched, unread } = watchReads(object)
  try {
    model.prototype.validate.call(watched)
  } catch (error) {
    return [`${name}: ${error instanceof Error ? error.message : error}`]
  }
  return unread().map((path) => `${name}: ${path} is not known`)
}

/** A view of a value that records which of its fields were read. */
function watchReads(root: object): { readonly watched: unknown; readonly unread: () => readonly string[] } {
  const read = new Map<object, Set<string>>()
  const views = new Map<object, object>()

  function view(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    const known = views.get(value)
    if (known !== undefined) return known
    const keys = new Set<string>()
    read.set(value, keys)
    const proxy = new Proxy(value, {
      get(target, key, receiver) {
        if (typeof key === 'string') keys.add(key)
        return view(Reflect.get(target, key, receiver))
      },
    })
    views.set(value, proxy)
    return proxy
  }

  function unreadBelow(value: object, path: string): readonly string[] {
    const keys = read.get(value)
    // A value of which nothing was asked is one that the schema leaves open.
    if (keys === undefined || keys.size === 0) return []
    return Object.entries(value).flatMap(([key, below]) => {
      if (!keys.has(key)) return [`${path}/${key}`]
      return typeof below === 'object' && below !== null ? unreadBelow(below, `${path}/${key}`) : []
    })
  }

  return { watched: view(root), unread: () => unreadBelow(root, '') }
}

/** The time that the process itself takes to close after the drain, see packages/service. */
const CLOSE_SECONDS = 5

describe.each(Object.entries(MATRIX))('the chart with values: %s', (_, values) => {
  let text = ''
  let objects: readonly ChartObject[] = []
  beforeAll(async () => {
    text = await renderText(values)
    objects = objectsIn(text)
  })

  it('passes helm lint --strict', async () => {
    expect(await helm(['lint', '--strict'], values)).toMatchObject({ code: 0 })
  })

  it('has only objects that the API accepts, without unknown fields', () => {
    expect(objects.flatMap(schemaProblems)).toEqual([])
  })

  it('every pod, hooks and tests included, meets the restricted Pod Security Standard [F-44]', () => {
    const pods = podsOf(objects)
    expect(pods.length).toBeGreaterThan(6)
    expect(pods.flatMap(restrictedProblems)).toEqual([])
  })

  it('holds no secret and makes none [F-44]', () => {
    expect(ofKind(objects, 'Secret')).toEqual([])
    const literals = podsOf(objects)
      .flatMap(({ spec }) => spec.containers.flatMap(({ env = [] }) => env))
      .filter(({ name, value }) => value !== undefined && /PASSWORD|SECRET|MASTER_KEY/.test(name))
    expect(literals.filter(({ name }) => !name.endsWith('_FILE'))).toEqual([])
  })

  it('names every object once, and labels it', () => {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { metadata } of objects) {
      expect(metadata.name.length).toBeLessThanOrEqual(63)
    }
  })

  it('every selector finds the pods it is meant for', () => {
    const pods = podsOf(objects)
    const selectors = [
      ...ofKind<IDeployment>(objects, 'Deployment').map(
        ({ metadata, spec }) => [metadata, spec?.selector.matchLabels] as const,
      ),
      ...ofKind<IService>(objects, 'Service').map(
        ({ metadata, spec }) => [metadata, spec?.selector] as const,
      ),
      ...ofKind<IPodDisruptionBudget>(objects, 'PodDisruptionBudget').map(
        ({ metadata, spec }) => [metadata, spec?.selector?.matchLabels] as const,
      ),
    ]
    for (const [{ name, labels }, selector = {}] of selectors) {
      const found = pods.filter((pod) =>
        Object.entries(selector).every(([key, value]) => pod.labels[key] === value),
      )
      expect(
        found.map(({ labels: own }) => own['app.kubernetes.io/component']),
        name,
      ).toEqual([labels['app.kubernetes.io/component']])
    }
  })

  it('every port that a Service or a probe names is one of the container', () => {
    const pods = podsOf(objects)
    for (const { spec, labels } of pods) {
      for (const { ports = [], startupProbe, livenessProbe, readinessProbe } of spec.containers) {
        const names = ports.map(({ name }) => name)
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          if (probe) expect(names).toContain(probe.httpGet?.port)
        }
        const services = ofKind<IService>(objects, 'Service').filter(
          ({ spec: service }) =>
            service?.selector?.['app.kubernetes.io/component'] === labels['app.kubernetes.io/component'],
        )
        for (const service of services) {
          for (const { targetPort } of service.spec?.ports ?? []) expect(names).toContain(targetPort)
        }
      }
    }
  })

  it('a pod has the time to drain before it is killed', () => {
    for (const { metadata, spec } of ofKind<IDeployment>(objects, 'Deployment')) {
      const pod = spec?.template.spec
      const [container] = pod?.containers ?? []
      const seconds = (name: string) =>
        Number(container?.env?.find((variable) => variable.name === name)?.value)
      const needed =
        Number(container?.lifecycle?.preStop?.sleep?.seconds) +
        seconds('SIGNET_DRAIN_DELAY_SECONDS') +
        seconds('SIGNET_DRAIN_DEADLINE_SECONDS') +
        CLOSE_SECONDS
      expect(pod?.terminationGracePeriodSeconds, metadata.name).toBeGreaterThan(needed)
      expect(spec?.strategy?.rollingUpdate?.maxUnavailable, metadata.name).toBe(0)
    }
  })

  it('an autoscaler begins with its least replicas, and a single replica has no budget', () => {
    const leastScaled = new Map([
      ...ofKind<IHorizontalPodAutoscaler>(objects, 'HorizontalPodAutoscaler').map(
        ({ spec }) => [spec?.scaleTargetRef.name, spec?.minReplicas] as const,
      ),
      ...ofKind<IScaledObject>(objects, 'ScaledObject').map(
        ({ spec }) => [spec?.scaleTargetRef.name, spec?.minReplicaCount] as const,
      ),
    ])
    const budgets = ofKind(objects, 'PodDisruptionBudget').map(({ metadata }) => metadata.name)
    for (const { metadata, spec } of ofKind<IDeployment>(objects, 'Deployment')) {
      const isScaled = leastScaled.has(metadata.name)
      if (isScaled) expect(spec?.replicas, metadata.name).toBe(leastScaled.get(metadata.name))
      const least = isScaled ? leastScaled.get(metadata.name) : spec?.replicas
      if (least === 1) expect(budgets).not.toContain(metadata.name)
    }
  })

  it('every container asks for memory and CPU and has a limit of memory', () => {
    for (const { of, spec } of podsOf(objects)) {
      for (const { resources } of spec.containers) {
        expect(resources, of).toMatchObject({
          requests: { cpu: expect.anything(), memory: expect.anything() },
          limits: { memory: expect.anything() },
        })
      }
    }
  })

  it('every volume that is mounted is there, and every other is mounted', () => {
    for (const { of, spec } of podsOf(objects)) {
      const volumes = (spec.volumes ?? []).map(({ name }) => name)
      const mounted = spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name))
      expect(new Set(mounted), of).toEqual(new Set(volumes))
    }
  })

  it('every ServiceAccount that a pod names is made or given', () => {
    const made = ofKind(objects, 'ServiceAccount').map(({ metadata }) => metadata.name)
    for (const { of, spec } of podsOf(objects)) {
      if (spec.serviceAccountName) expect([...made, 'existing'], of).toContain(spec.serviceAccountName)
    }
  })
})

describe('GitOps', () => {
  it('rendering again gives the same bytes', async () => {
    expect(await renderText(MATRIX.production ?? {})).toBe(await renderText(MATRIX.production ?? {}))
  })

  it('no value is random, and only Deployments are looked up in the cluster', () => {
    const lookup = 'lookup "apps/v1" "Deployment" .root.Release.Namespace'
    const folder = new URL('../helm/signet/templates/', import.meta.url)
    for (const name of readdirSync(folder)) {
      const template = readFileSync(new URL(name, folder), 'utf8').replaceAll(lookup, '')
      expect(template, name).not.toMatch(
        /\b(rand\w+|gen\w+(Cert|CA|Key)\w*|uuidv4|now|lookup|getHostByName)\b/,
      )
    }
  })
})

describe('the schema check', () => {
  it('finds an unknown field at any depth', () => {
    const probe = { httpGet: { path: '/', port: 1 }, periodSecond: 1 }
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x', labels: {} },
      spec: { containers: [{ name: 'x', readinessProbe: probe, lifecycle: {} }] },
    }
    expect(schemaProblems(object)).toEqual([
      'v1 Pod x: /spec/containers/0/readinessProbe/periodSecond is not known',
    ])
  })
})
