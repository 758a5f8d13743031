// @ts-check
// `npm run test:kubernetes`: builds an API server of Kubernetes with etcd, and SPIRE, once, and runs the tests of
// vitest.kubernetes.config.ts, which install the chart there.
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { prepare, ROOT } from './bootstrap.mjs'
import { buildModule, fetchModule, provideHelm, requireGo } from './go-programs.mjs'
import { run, say } from './processes.mjs'

const KUBERNETES = 'v1.37.2'
const ETCD = 'v3.7.3'
const SPIRE = 'v1.13.3'

const OF_KUBERNETES = [
  {
    module: 'k8s.io/kubernetes',
    version: KUBERNETES,
    replaced: KUBERNETES.replace('v1', 'v0'),
    programs: { 'kube-apiserver': '/cmd/kube-apiserver', kubectl: '/cmd/kubectl' },
    variables: { 'k8s.io/component-base/version.gitVersion': KUBERNETES },
  },
  {
    module: 'go.etcd.io/etcd/server/v3',
    version: ETCD,
    replaced: ETCD,
    programs: { etcd: '' },
  },
]

const OF_SPIRE = [
  {
    module: 'github.com/spiffe/spire',
    version: SPIRE,
    programs: {
      'spire-server': '/cmd/spire-server',
      'spire-agent': '/cmd/spire-agent',
      'oidc-discovery-provider': '/support/oidc-discovery-provider',
    },
  },
]

/** Files with the definitions of the objects that the chart can make, by module. @type {Record<string, string[]>} */
const DEFINITIONS = {
  'github.com/cert-manager/cert-manager@v1.21.2': [
    'deploy/crds/cert-manager.io_certificates.yaml',
    'deploy/crds/cert-manager.io_issuers.yaml',
  ],
  'github.com/external-secrets/external-secrets@v1.3.2': [
    'config/crds/bases/external-secrets.io_externalsecrets.yaml',
  ],
  'github.com/kedacore/keda/v2@v2.21.0': ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': [
    'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_probes.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  ],
  'sigs.k8s.io/gateway-api@v1.6.3': ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
}

const NOT_SHOWN =
  'an API server alone: no kubelet, scheduler, controller or network. Not shown are pods that run, rollouts, probes, ' +
  'autoscalers at work, network policies in force, certificates that are issued, routes that lead anywhere, and the ' +
  'migration itself: the tests end its Job'

/** @param {string[]} args for vitest */
export async function testKubernetes(args) {
  say(NOT_SHOWN)
  await requireGo(process.env, 'the API server')
  const env = await prepare()
  await provideHelm(env)
  const programs = [
    await buildPrograms(`kubernetes-${KUBERNETES}-etcd-${ETCD}`, OF_KUBERNETES, env),
    await buildPrograms(`spire-${SPIRE}`, OF_SPIRE, env),
  ]
  const { code } = await run('vitest', ['run', '--config', 'vitest.kubernetes.config.ts', ...args], {
    cwd: ROOT,
    env: {
      ...env,
      PATH: [...programs, env.PATH].join(delimiter),
      SIGNET_TEST_KUBERNETES_DEFINITIONS: (await definitions(env)).join(delimiter),
    },
    ipc: true,
    output: 'inherit',
  })
  return code
}

/**
 * Builds programs where that has not been done yet.
 * @param {string} name with their versions
 * @param {readonly Parameters<typeof buildModule>[0][]} sources
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} their folder, which is outside of the checkout because of the time that it takes
 */
async function buildPrograms(name, sources, env) {
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'signet')
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  say(`building ${name} into ${folder}, which takes many minutes the first time`)
  const unfinished = `${folder}-${process.pid}`
  const output = join(unfinished, 'programs')
  try {
    await mkdir(output, { recursive: true })
    for (const source of sources)
      await buildModule(source, { build: join(unfinished, source.module), output }, env)
    await rename(output, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return folder
}

/** @param {NodeJS.ProcessEnv} env */
async function definitions(env) {
  const files = []
  for (const [module, paths] of Object.entries(DEFINITIONS)) {
    const { folder } = await fetchModule(module, env)
    files.push(...paths.map((path) => join(folder, path)))
  }
  return files
}
