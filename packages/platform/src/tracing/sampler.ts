import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { SamplerName, TracingSettings } from './tracing-settings.ts'

type SamplerMaker = (share: number) => Sampler

const ROOTS = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (share) => new TraceIdRatioBasedSampler(share),
} as const satisfies Record<string, SamplerMaker>

const parentBased =
  (root: SamplerMaker): SamplerMaker =>
  (share) =>
    new ParentBasedSampler({ root: root(share) })

const SAMPLERS: Readonly<Record<SamplerName, SamplerMaker>> = {
  ...ROOTS,
  parentbased_always_on: parentBased(ROOTS.always_on),
  parentbased_always_off: parentBased(ROOTS.always_off),
  parentbased_traceidratio: parentBased(ROOTS.traceidratio),
}

/** Decides which traces are kept; a sampler based on a parent follows the decision of the caller. */
export function samplerOf({ sampler, share }: Pick<TracingSettings, 'sampler' | 'share'>): Sampler {
  return SAMPLERS[sampler](share)
}
