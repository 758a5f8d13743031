import type { RenderedPod } from './chart-object.ts'

const VOLUMES = /^(configMap|csi|downwardAPI|emptyDir|ephemeral|persistentVolumeClaim|projected|secret)$/

/** The violations of the *restricted* Pod Security Standard in a pod, and of our stricter rules: one line each. */
export function restrictedProblems({ of, spec }: RenderedPod): readonly string[] {
  const problems: string[] = []
  const demand = (holds: boolean, rule: string) => void (holds || problems.push(`${of}: ${rule}`))

  for (const field of ['hostNetwork', 'hostPID', 'hostIPC'] as const)
    demand(spec[field] !== true, `${field} is on`)
  for (const volume of spec.volumes ?? []) {
    const type = Object.keys(volume).find((key) => key !== 'name') ?? ''
    demand(VOLUMES.test(type), `volume ${volume.name} is a ${type}`)
  }
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const own = container.securityContext ?? {}
    const pod = spec.securityContext ?? {}
    const { name } = container
    demand(own.privileged !== true, `${name} is privileged`)
    demand(own.allowPrivilegeEscalation === false, `${name} may escalate privileges`)
    demand((own.runAsNonRoot ?? pod.runAsNonRoot) === true, `${name} may run as root`)
    demand((own.runAsUser ?? pod.runAsUser ?? 0) !== 0, `${name} runs as user 0 or that of the image`)
    demand(own.capabilities?.drop?.includes('ALL') === true, `${name} keeps capabilities`)
    demand((own.capabilities?.add ?? []).length === 0, `${name} adds capabilities`)
    const seccomp = (own.seccompProfile ?? pod.seccompProfile)?.type
    demand(seccomp === 'RuntimeDefault' || seccomp === 'Localhost', `${name} has no seccomp profile`)
    for (const port of container.ports ?? [])
      demand(port.hostPort === undefined, `${name} takes a port of the host`)
    demand(own.readOnlyRootFilesystem === true, `${name} can write to its root file system`)
  }
  demand(spec.automountServiceAccountToken === false, 'has a token of the API server')
  return problems
}
