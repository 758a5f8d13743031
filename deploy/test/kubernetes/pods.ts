import { list, type Namespace, requireOutput } from './programs.ts'

/** Adds a pod with the service account of its name, or of another. No kubelet runs it. */
export async function addPod(
  { name: namespace, kubectl }: Namespace,
  name: string,
  serviceAccountName = name,
): Promise<void> {
  const securityContext = {
    ...{ allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
    seccompProfile: { type: 'RuntimeDefault' },
  }
  const container = { name: 'main', image: 'registry.example.com/orders:1', securityContext }
  const spec = { serviceAccountName, automountServiceAccountToken: false, containers: [container] }
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: serviceAccountName, namespace } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec },
  ]
  await requireOutput(kubectl(['apply', '--filename', '-'], list(objects)))
}

export interface WantedToken {
  readonly account: string
  readonly pod?: string
  readonly audience: string
}

/** The token of a pod by the TokenRequest API, as a kubelet asks for the one of a projected volume. */
export async function projectedToken(
  { name: namespace, kubectl }: Namespace,
  { account, pod = account, audience }: WantedToken,
): Promise<string> {
  const request = {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
    spec: {
      ...{ audiences: [audience], expirationSeconds: 3_600 },
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod },
    },
  }
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`
  const args = ['create', '--raw', path, '--filename', '-']
  const answer = JSON.parse(await requireOutput(kubectl(args, JSON.stringify(request))))
  return answer.status.token as string
}

/** kubectl warns that a pod is deleted at once. */
export const withoutWarnings = <A extends object>(answer: A) => ({ ...answer, problems: '' })
