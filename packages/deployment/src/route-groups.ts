import { ROUTES, type Route } from '@signet/protocol/routes'
import { hostName, PUBLIC_COMPONENT } from './components.ts'

/** The prefixes of one component that share their limits: one Ingress, whose annotations hold for all its paths. */
export interface RouteGroup {
  /** The component's name, with what sets the group apart when there are several. */
  readonly name: string
  readonly component: string
  readonly prefixes: readonly string[]
  readonly bodyLimitBytes: number
  readonly readTimeoutSeconds: number
  readonly buffering: boolean
  readonly nginxAnnotations: Readonly<Record<string, string>>
}

/** The route table, grouped in its order. */
export function routeGroups(routes: readonly Route[] = ROUTES): readonly RouteGroup[] {
  const groups = new Map<string, Route[]>()
  for (const route of routes) {
    const alike = [route.service, route.bodyLimitBytes, route.readTimeoutSeconds, route.buffering].join()
    groups.set(alike, [...(groups.get(alike) ?? []), route])
  }
  const taken = new Set<string>()
  return [...groups.values()].map((members) => {
    const [first] = members
    if (first === undefined) throw new Error('a group has a member')
    const component = PUBLIC_COMPONENT[first.service]
    const whole = hostName(component)
    const name = taken.has(whole) ? `${whole}-${lastSegment(first.prefix)}` : whole
    taken.add(name)
    return {
      name,
      component,
      prefixes: members.map(({ prefix }) => prefix),
      bodyLimitBytes: first.bodyLimitBytes,
      readTimeoutSeconds: first.readTimeoutSeconds,
      buffering: first.buffering,
      nginxAnnotations: nginxAnnotations(first),
    }
  })
}

const NGINX = 'nginx.ingress.kubernetes.io'

function nginxAnnotations({ bodyLimitBytes, readTimeoutSeconds, buffering }: Route): Record<string, string> {
  const switched = buffering ? 'on' : 'off'
  return {
    [`${NGINX}/proxy-body-size`]: `${bodyLimitBytes}`,
    [`${NGINX}/proxy-read-timeout`]: `${readTimeoutSeconds}`,
    [`${NGINX}/proxy-send-timeout`]: `${readTimeoutSeconds}`,
    [`${NGINX}/proxy-buffering`]: switched,
    [`${NGINX}/proxy-request-buffering`]: switched,
  }
}

function lastSegment(prefix: string): string {
  return prefix.slice(prefix.lastIndexOf('/') + 1).replace(/[^a-z0-9]/g, '')
}
