// Certificates of clients behind an ingress or a gateway: a host of their own, that leads to no page.

import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'
import { isServedOverMutualTls, ROUTES } from '@signet/protocol/routes'
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import type { IService } from 'kubernetes-models/v1'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMPONENTS } from '../src/suite.ts'
import { type ChartObject, ofKind, podsOf } from './chart-object.ts'
import { helm, renderChart } from './helm.ts'
import { MATRIX, minimalWith } from './values-matrix.ts'

const HOST = 'mtls.id.example.com'
const PREFIXES = ROUTES.map(({ prefix }) => prefix)
  .filter(isServedOverMutualTls)
  .toSorted()

describe('client certificates', () => {
  let objects: readonly ChartObject[] | undefined
  const rendered = async () => {
    objects ??= await renderChart(MATRIX['client certificates'] ?? {})
    return objects
  }

  it('lead from their host to the endpoints for clients alone, with the annotations of the controller', async () => {
    const ingresses = ofKind<IIngress>(await rendered(), 'Ingress').filter(({ spec }) =>
      spec?.rules?.some(({ host }) => host === HOST),
    )
    const paths = ingresses.flatMap(({ metadata, spec }) => {
      expect(metadata?.annotations).toMatchObject({
        'nginx.ingress.kubernetes.io/auth-tls-verify-client': 'optional_no_ca',
      })
      expect(spec?.tls).toEqual([{ hosts: [HOST], secretName: 'mtls-certificate' }])
      return (spec?.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ path }) => path))
    })
    expect(paths.toSorted()).toEqual(PREFIXES)
  })

  it('lead likewise from the listener of a gateway', async () => {
    const routes = ofKind<IHTTPRoute>(await rendered(), 'HTTPRoute').filter(({ spec }) =>
      spec?.hostnames?.includes(HOST),
    )
    const paths = routes.flatMap(({ spec }) => {
      expect(spec?.parentRefs).toEqual([{ name: 'public', sectionName: 'certificates' }])
      return (spec?.rules ?? []).flatMap(({ matches }) => (matches ?? []).map(({ path }) => path?.value))
    })
    expect(paths.toSorted()).toEqual(PREFIXES)
  })

  it('are configured in all services, with the authorities where certificates are verified', async () => {
    for (const { spec } of podsOf(await rendered())) {
      const [container] = spec.containers
      const value = (name: string) => container?.env?.find((entry) => entry.name === name)?.value
      if (value('SIGNET_RPC_CA') === undefined) continue
      expect(value('SIGNET_MTLS_ORIGIN')).toBe(`https://${HOST}`)
      expect(value('SIGNET_MTLS_HEADER')).toBe('ssl-client-cert')
      const isVerifier = ['token', 'introspection', 'login', 'keys'].includes(container?.name ?? '')
      const authorities = isVerifier ? '/run/signet/client-authorities/ca.crt' : undefined
      expect(value('SIGNET_MTLS_CLIENT_CA')).toBe(authorities)
      const mounted = container?.volumeMounts?.some(({ name }) => name === 'client-authorities') ?? false
      expect(mounted).toBe(isVerifier)
      expect(spec.volumes?.some(({ name }) => name === 'client-authorities') ?? false).toBe(isVerifier)
    }
  })

  it.each([
    [{ host: 'id.example.com' }, {}, 'clientCertificates.host: is the host of the issuer'],
    [{ host: HOST }, { trustedProxies: [] }, 'trustedProxies: is empty'],
    [{ host: HOST }, { ingress: { enabled: true } }, 'clientCertificates.ingress.annotations: is empty'],
    [
      { host: HOST },
      { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } },
      'clientCertificates.parentRefs: is empty',
    ],
    [{ caSecret: 'authorities' }, {}, 'clientCertificates.host: is empty'],
    [{ host: HOST, listener: { port: 8443 } }, {}, 'clientCertificates.host: names one host'],
    [{ listener: { port: 8443 } }, {}, 'clientCertificates.listener.tlsSecret: is empty'],
    [{ host: `{service}.${HOST}` }, {}, 'clientCertificates.listener.port: is 0'],
  ])('refuses %j beside %j', async (clientCertificates, more, problem) => {
    const values = minimalWith({ clientCertificates, ...more })
    const { code, problems } = await helm(['template', 'signet'], values)
    expect(code).not.toBe(0)
    expect(problems).toContain(problem)
  })
})

describe('client certificates at ports of the services', () => {
  const SERVING = Object.values(COMPONENTS).filter(({ http }) => http).length
  const FILES = { SIGNET_MTLS_CERT: 'tls.crt', SIGNET_MTLS_KEY: 'tls.key' }
  let objects: readonly ChartObject[] = []
  beforeAll(async () => {
    objects = await renderChart(MATRIX['client certificates at own ports'] ?? {})
  })

  it('each pod with HTTP opens the port with the certificate of the Secret, and its probes stay where they were', () => {
    let opened = 0
    for (const { spec } of podsOf(objects)) {
      const [container] = spec.containers
      const value = (name: string) => container?.env?.find((entry) => entry.name === name)?.value
      if (value('SIGNET_RPC_CA') === undefined) continue
      expect(value('SIGNET_MTLS_ORIGIN')).toBe(`https://{service}.${HOST}`)
      const port = container?.ports?.find(({ name }) => name === 'certificates')?.containerPort
      expect(value('SIGNET_MTLS_PORT')).toBe(port?.toString())
      const mount = container?.volumeMounts?.find(({ name }) => name === 'listener')
      const volume = spec.volumes?.find(({ name }) => name === 'listener')
      expect(volume?.secret?.secretName).toBe(port && 'listener-certificate')
      for (const [name, file] of Object.entries(FILES)) {
        expect(value(name)).toBe(port && `${mount?.mountPath}/${file}`)
      }
      if (port === undefined) continue
      opened += 1
      expect(port).toBe(8443)
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        expect(container?.[probe]?.httpGet?.port).toBe('operations')
      }
    }
    expect(opened).toBe(SERVING)
  })

  it('each Service leads to it, the policy lets the proxies of the public port in, and no Ingress has the host', () => {
    const services = ofKind<IService>(objects, 'Service').filter(({ spec }) =>
      spec?.ports?.some(({ targetPort }) => targetPort === 'http'),
    )
    expect(services).toHaveLength(SERVING)
    for (const { spec } of services) {
      expect(spec?.ports).toContainEqual({ name: 'certificates', port: 443, targetPort: 'certificates' })
    }
    const rules = ofKind<INetworkPolicy>(objects, 'NetworkPolicy').flatMap(({ spec }) =>
      (spec?.ingress ?? []).filter(({ ports }) => ports?.some(({ port }) => port === 'certificates')),
    )
    expect(rules).toHaveLength(SERVING)
    for (const { from } of rules) expect(from).toEqual([{ ipBlock: { cidr: '10.1.2.0/24' } }])
    expect(JSON.stringify([...ofKind(objects, 'Ingress'), ...ofKind(objects, 'HTTPRoute')])).not.toContain(
      HOST,
    )
  })
})
