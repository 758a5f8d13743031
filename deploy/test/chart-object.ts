import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { ICronJob, IJob } from 'kubernetes-models/batch/v1'
import type { IPod, IPodSpec } from 'kubernetes-models/v1'

/** A rendered object; its kind tells what else it has. */
export interface ChartObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
}

/** Returns the objects of a kind; `T` is the type of such an object. */
export function ofKind<T>(objects: readonly ChartObject[], kind: string): readonly (ChartObject & T)[] {
  return objects.filter((object) => object.kind === kind) as (ChartObject & T)[]
}

export interface RenderedPod {
  /** Kind and name of what makes it. */
  readonly of: string
  readonly labels: Readonly<Record<string, string>>
  readonly spec: IPodSpec
}

/** Every pod that the objects make, of Deployments, Jobs, CronJobs and by themselves. */
export function podsOf(objects: readonly ChartObject[]): readonly RenderedPod[] {
  const templates = [...ofKind<IDeployment>(objects, 'Deployment'), ...ofKind<IJob>(objects, 'Job')].map(
    (object) => ({ object, pod: object.spec?.template }),
  )
  const scheduled = ofKind<ICronJob>(objects, 'CronJob').map((object) => ({
    object,
    pod: object.spec?.jobTemplate.spec?.template,
  }))
  const pods = ofKind<IPod>(objects, 'Pod').map((object) => ({ object, pod: object }))
  return [...templates, ...scheduled, ...pods].map(({ object, pod }) => {
    if (!pod?.spec) throw new Error(`${object.kind} ${object.metadata.name} has no pod`)
    return {
      of: `${object.kind} ${object.metadata.name}`,
      labels: pod.metadata?.labels ?? {},
      spec: pod.spec,
    }
  })
}
