import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'
import { ROUTES } from '@signet/protocol/routes'
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1'
import { describe, expect, it } from 'vitest'
import { composeEdge } from '../src/compose-edge.ts'
import { ofKind } from './chart-object.ts'
import { renderChart } from './helm.ts'
import { MATRIX, production } from './values-matrix.ts'

const NGINX = 'nginx.ingress.kubernetes.io'

const table = ROUTES.map(({ prefix, service, bodyLimitBytes, readTimeoutSeconds, buffering }) => ({
  prefix,
  service,
  bodyLimitBytes,
  readTimeoutSeconds,
  buffering,
})).toSorted(byPrefix)

function byPrefix(one: { readonly prefix: string }, other: { readonly prefix: string }): number {
  return one.prefix < other.prefix ? -1 : 1
}

describe('the public paths', () => {
  it('Ingress is the route table, with its limits', async () => {
    const ingresses = ofKind<IIngress>(await renderChart(production), 'Ingress')
    const routes = ingresses.flatMap(({ metadata, spec }) =>
      (spec?.rules ?? []).flatMap(({ host, http }) => {
        expect(host).toBe('id.example.com')
        return (http?.paths ?? []).map(({ path, pathType, backend }) => {
          expect(pathType).toBe(path === '/' ? 'Exact' : 'Prefix')
          const annotation = (name: string) => metadata.annotations?.[`${NGINX}/${name}`]
          expect(annotation('proxy-request-buffering')).toBe(annotation('proxy-buffering'))
          return {
            prefix: path ?? '',
            service: serviceOf(backend.service?.name),
            bodyLimitBytes: Number(annotation('proxy-body-size')),
            readTimeoutSeconds: Number(annotation('proxy-read-timeout')),
            buffering: annotation('proxy-buffering') === 'on',
          }
        })
      }),
    )
    expect(routes.toSorted(byPrefix)).toEqual(table)
  })

  it('HTTPRoute is the route table, with its time-outs', async () => {
    const httpRoutes = ofKind<IHTTPRoute>(await renderChart(MATRIX['Gateway API'] ?? {}), 'HTTPRoute')
    const routes = httpRoutes.flatMap(({ spec }) => {
      expect(spec?.hostnames).toEqual(['id.example.com'])
      return (spec?.rules ?? []).flatMap(({ matches, backendRefs, timeouts }) =>
        (matches ?? []).map(({ path }) => {
          expect(path?.type).toBe(path?.value === '/' ? 'Exact' : 'PathPrefix')
          return {
            prefix: path?.value ?? '',
            service: serviceOf(backendRefs?.[0]?.name),
            readTimeoutSeconds: Number.parseInt(timeouts?.request ?? '', 10),
          }
        }),
      )
    })
    expect(routes.toSorted(byPrefix)).toEqual(
      table.map(({ prefix, service, readTimeoutSeconds }) => ({ prefix, service, readTimeoutSeconds })),
    )
  })

  it('the edge of docker-compose.yml is the route table, with its limits', () => {
    const locations = composeEdge().matchAll(
      /location (= |\^~ )(\S+) \{\n +set \$upstream (\S+);[^}]+client_max_body_size (\d+);\s+proxy_read_timeout (\d+)s;[^}]+proxy_request_buffering (\w+);/g,
    )
    const routes = [...locations].map(([, match, path = '', service, limit, seconds, buffering]) => ({
      match,
      prefix: path.replace(/(?<=.)\/$/, ''),
      service: serviceOf(`signet-${service}`),
      bodyLimitBytes: Number(limit),
      readTimeoutSeconds: Number(seconds),
      buffering: buffering === 'on',
    }))
    // A path itself, and what is below it.
    for (const match of ['= ', '^~ ']) {
      const ofMatch = routes.filter((route) => route.match === match).map(({ match: _, ...route }) => route)
      const expected = match === '= ' ? table : table.filter(({ prefix }) => prefix !== '/')
      expect(ofMatch.toSorted(byPrefix)).toEqual(expected)
    }
  })
})

/** The service whose public paths a component answers. */
function serviceOf(name: string | undefined): string | undefined {
  return name?.replace(/^signet-/, '').replace(/-api$/, '')
}
