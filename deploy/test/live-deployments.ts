import type { RequestListener } from 'node:http'
import { startHttpServer } from '@signet/testing/http-server'
import type { ChartObject } from './chart-object.ts'
import { objectsIn, renderChart, renderText, type Values } from './helm.ts'

/** Deployments of the namespace by name. */
export type LiveDeployments = Readonly<
  Record<string, { readonly replicas?: number; readonly annotations?: Readonly<Record<string, string>> }>
>

/** Renders the chart as an upgrade does beside these Deployments of the namespace. */
export async function renderBeside(deployments: LiveDeployments, values: Values) {
  const server = await startHttpServer(kubernetesApi(await renderChart(values), deployments))
  try {
    const options = ['--is-upgrade', '--dry-run=server', '--disable-openapi-validation']
    return objectsIn(await renderText(values, [...options, '--kube-apiserver', server.url]))
  } finally {
    await server.stop()
  }
}

/** Answers what Helm asks an API server while it renders: its version, its kinds, and single Deployments. */
function kubernetesApi(objects: readonly ChartObject[], deployments: LiveDeployments): RequestListener {
  const answers = new Map<string, object>([
    ['/version', { major: '1', minor: '34', gitVersion: 'v1.34.0' }],
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
  ])
  const versions = [...new Set(objects.map(({ apiVersion }) => apiVersion))]
  const groups = versions.flatMap((groupVersion) => {
    const [name, version] = groupVersion.split('/')
    return version
      ? [{ name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } }]
      : []
  })
  answers.set('/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups })
  for (const groupVersion of versions) {
    const kinds = new Set(
      objects.filter(({ apiVersion }) => apiVersion === groupVersion).map(({ kind }) => kind),
    )
    const resources = [...kinds].map((kind) => ({
      name: `${kind.toLowerCase()}s`,
      singularName: kind.toLowerCase(),
      namespaced: true,
      kind,
      verbs: ['get'],
    }))
    const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`
    answers.set(path, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources })
  }
  for (const [name, { replicas = 1, annotations = {} }] of Object.entries(deployments)) {
    answers.set(`/apis/apps/v1/namespaces/identity/deployments/${name}`, {
      ...{
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: 'identity', annotations },
      },
      spec: { replicas },
    })
  }
  return ({ url = '' }, res) => {
    const answer = answers.get(url.split('?', 1)[0] ?? '')
    res.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' })
    res.end(
      JSON.stringify(
        answer ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 },
      ),
    )
  }
}
