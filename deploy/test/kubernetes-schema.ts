import { Certificate } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate'
import { Issuer } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Issuer'
import { ExternalSecret } from '@kubernetes-models/external-secrets/external-secrets.io/v1/ExternalSecret'
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor'
import { Probe } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/Probe'
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Pod } from 'kubernetes-models/v1/Pod'
import { Service } from 'kubernetes-models/v1/Service'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'
import type { ChartObject } from './chart-object.ts'

/** Each has a check that was compiled from the schema of its API and reads every field that the schema knows. */
const MODELS = [
  Certificate,
  ConfigMap,
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
export function schemaProblems(object: ChartObject): readonly string[] {
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
