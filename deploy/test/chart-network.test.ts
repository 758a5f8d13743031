import { BlockList } from 'node:net'
import { calleesOf } from '@signet/grpc/caller-table'
import { createAddressPolicy } from '@signet/platform/outbound-http/address-policy'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMPONENTS, hostName } from '../src/suite.ts'
import { type ChartObject, ofKind, podsOf } from './chart-object.ts'
import { renderChart } from './helm.ts'
import { MATRIX, minimalWith, production } from './values-matrix.ts'

const COMPONENT = 'app.kubernetes.io/component'
let objects: readonly ChartObject[] = []
let policies: readonly (ChartObject & INetworkPolicy)[] = []

beforeAll(async () => {
  objects = await renderChart(production)
  policies = ofKind<INetworkPolicy>(objects, 'NetworkPolicy')
})

function policyOf(component: string) {
  const policy = policies.find(
    ({ spec }) => spec?.podSelector?.matchLabels?.[COMPONENT] === hostName(component),
  )
  if (policy?.spec === undefined) throw new Error(`no policy selects ${component}`)
  return policy.spec
}

/** The components that a rule on this port names. */
function peers(
  rules: readonly { readonly ports?: unknown; readonly from?: unknown; readonly to?: unknown }[],
  port: string | number,
) {
  const matching = rules.filter(({ ports }) =>
    JSON.stringify(ports)?.includes(`"port":${JSON.stringify(port)}`),
  )
  return matching.flatMap(({ from, to }) =>
    [...JSON.stringify([from, to]).matchAll(/"app\.kubernetes\.io\/component":"([\w-]+)"/g)].map(
      ([, name]) => name,
    ),
  )
}

describe('network policies', () => {
  it('every pod of the release has one, for both directions [F-44]', () => {
    for (const { of, labels } of podsOf(objects)) {
      const component = labels[COMPONENT] ?? ''
      if (component === 'test') continue
      expect(policyOf(component).policyTypes, of).toEqual(['Ingress', 'Egress'])
    }
  })

  it('gRPC is open to those that may call, in both directions', () => {
    for (const [name, { app, rpc }] of Object.entries(COMPONENTS)) {
      const callers = Object.entries(COMPONENTS).flatMap(([caller, { app: callerApp }]) =>
        callerApp !== app && calleesOf(callerApp).includes(app) ? [hostName(caller)] : [],
      )
      expect(peers(policyOf(name).ingress ?? [], 'rpc').toSorted(), name).toEqual(
        rpc ? callers.toSorted() : [],
      )
      const callees = Object.entries(COMPONENTS).flatMap(([callee, { app: calleeApp, rpc: serves }]) =>
        serves && calleesOf(app).includes(calleeApp) ? [callee] : [],
      )
      expect(peers(policyOf(name).egress ?? [], 9090).toSorted(), name).toEqual(callees.toSorted())
    }
  })

  it('public HTTP is open to the ingress controller and to helm test', () => {
    for (const [name, { http }] of Object.entries(COMPONENTS)) {
      if (!http) continue
      const [rule] = policyOf(name).ingress ?? []
      expect(rule?.ports).toEqual([{ port: 'http', protocol: 'TCP' }])
      expect(JSON.stringify(rule?.from)).toContain('"kubernetes.io/metadata.name":"ingress-nginx"')
      expect(peers([{ ...rule }], 'http')).toEqual(['test'])
    }
  })

  it('few pods call URLs or SMTP servers, and in private networks only where the values name them [F-41]', () => {
    const portsOf = { http: [443], smtp: [25, 465, 587, 2525] }
    expect(COMPONENTS.directory?.outbound).toBe('smtp')
    for (const [name, { outbound }] of Object.entries(COMPONENTS)) {
      const rules = (policyOf(name).egress ?? []).filter(({ to }) => to?.some(({ ipBlock }) => ipBlock))
      expect(
        rules.map(({ ports }) => ports?.map(({ port }) => port)),
        name,
      ).toEqual(outbound ? [portsOf[outbound]] : [])
      const blocks = rules.flatMap(({ to }) => to ?? []).flatMap(({ ipBlock }) => ipBlock ?? [])
      const [internet, ipv6, ...named] = blocks
      expect([internet?.cidr, ipv6?.cidr], name).toEqual(
        outbound ? ['0.0.0.0/0', '::/0'] : [undefined, undefined],
      )
      expect(internet?.except?.includes('169.254.0.0/16'), name).toBe(outbound ? true : undefined)
      expect(named, name).toEqual(outbound ? [{ cidr: '10.8.0.0/16' }] : [])
    }
  })

  it('the exceptions of both families leave out every private address and no public one', () => {
    const blocks = (policyOf('token').egress ?? [])
      .flatMap(({ to }) => to ?? [])
      .flatMap(({ ipBlock }) => ipBlock ?? [])
    const exceptions = new BlockList()
    for (const network of blocks.flatMap(({ except = [] }) => except)) {
      const [address = '', bits] = network.split('/')
      exceptions.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4')
    }
    const isLeftOut = (address: string) => exceptions.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
    const mayCall = createAddressPolicy(new BlockList())
    for (const network of ['10.1.2.3', '169.254.169.254', '172.20.0.1', '192.168.1.1']) {
      for (const address of [network, `64:ff9b::${network}`]) {
        expect([isLeftOut(address), mayCall(address)], address).toEqual([true, false])
      }
    }
    for (const address of ['fd00:ec2::254', 'fc00::1', 'fe80::1']) {
      expect([isLeftOut(address), mayCall(address)], address).toEqual([true, false])
    }
    for (const address of ['8.8.8.8', '2606:4700::1111', '64:ff9b::8.8.8.8']) {
      expect([isLeftOut(address), mayCall(address)], address).toEqual([false, true])
    }
  })

  it('leaves out IPv6 where the values do', async () => {
    const rendered = await renderChart(minimalWith({ networkPolicy: { outbound: { ipv6: { cidr: '' } } } }))
    expect(JSON.stringify(ofKind(rendered, 'NetworkPolicy'))).not.toContain('::/0')
  })

  it('Redis is open to those that use it, at the sentinels and at the primary', () => {
    const redis = (name: string) =>
      (policyOf(name).egress ?? []).filter(({ to }) =>
        JSON.stringify(to)?.includes('"kubernetes.io/metadata.name":"redis"'),
      )
    expect(redis('keys')).toEqual([])
    const [rule] = redis('login')
    expect(rule?.ports?.map(({ port }) => port)).toEqual([6379, 26379])
  })

  it('the collector of traces is open to every service, at its port', async () => {
    const traced = await renderChart(MATRIX['everything on'] ?? {})
    const rules = ofKind<INetworkPolicy>(traced, 'NetworkPolicy')
      .flatMap(({ spec }) => spec?.egress ?? [])
      .filter(({ to }) => JSON.stringify(to)?.includes('"app":"collector"'))
    expect(rules).toHaveLength(Object.keys(COMPONENTS).length)
    for (const { ports } of rules) expect(ports).toEqual([{ port: 443, protocol: 'TCP' }])
  })

  it('a collector that no value places is looked for in the cluster alone', async () => {
    const traces = { endpoint: 'http://collector.monitoring.svc' }
    const traced = await renderChart(minimalWith({ monitoring: { traces } }))
    const rules = ofKind<INetworkPolicy>(traced, 'NetworkPolicy')
      .flatMap(({ spec }) => spec?.egress ?? [])
      .filter(({ ports }) => ports?.some(({ port }) => port === 80))
    expect(rules).toHaveLength(Object.keys(COMPONENTS).length)
    for (const { to } of rules) expect(to).toEqual([{ namespaceSelector: {} }])
  })

  it('the migration Job reaches the database and accepts no connections', () => {
    const { ingress, egress } = policyOf('migrate')
    expect(ingress).toBeUndefined()
    expect(egress?.flatMap(({ ports }) => ports ?? []).map(({ port }) => port)).toEqual([53, 53, 5432])
  })

  it('every service can be called under the name that its certificate and address have', () => {
    for (const name of SERVICE_NAMES) {
      const certificate = ofKind<{ spec: { commonName: string; dnsNames: string[]; usages: string[] } }>(
        objects,
        'Certificate',
      ).find(({ spec }) => spec.commonName === name)
      expect(certificate?.spec.dnsNames, name).toEqual([name])
      expect(certificate?.spec.usages).toEqual(expect.arrayContaining(['server auth', 'client auth']))
    }
  })
})
