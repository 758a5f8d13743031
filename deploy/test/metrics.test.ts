import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')

/** The sources of all workspaces, without their tests. */
function sources(): readonly string[] {
  return ['apps', 'packages'].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`).flatMap((name) => {
      const path = `${folder}/${name}/src/`
      const files = readdirSync(`${ROOT}${path}`, { recursive: true, encoding: 'utf8' })
      return files
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => read(`${path}${file}`))
    }),
  )
}

/** The metrics that the sources register, with their labels. */
function registered(): ReadonlyMap<string, string> {
  const metrics = new Map<string, string>()
  for (const source of sources()) {
    const definitions = source.matchAll(/name: '(signet_\w+)',\s+help:\s+'[^']+',\s+labels(: \[([^\]]*)\])?/g)
    for (const [, metric = '', , labels = ''] of definitions) metrics.set(metric, labels)
  }
  return metrics
}

describe('the metrics of the services', () => {
  const metrics = registered()
  const page = read('docs/reference/metrics.md')
  const described = new Set([...page.matchAll(/^\| `(signet_\w+)`/gm)].map(([, name]) => name))

  it('are all described by the page, and it describes no others', () => {
    expect(metrics.size).toBeGreaterThan(20)
    expect([...described].sort()).toEqual([...metrics.keys()].sort())
  })

  it('are registered in the form that this test reads: name, help and labels, in single quotes', () => {
    const named = sources().flatMap((source) => source.match(/(?<=name: ['"`])signet_\w+/g) ?? [])
    expect([...new Set(named)].filter((name) => !metrics.has(name))).toEqual([])
  })

  it('are each used by a rule, a dashboard or a runbook', () => {
    const runbooks = readdirSync(`${ROOT}docs/runbooks`).map((file) => read(`docs/runbooks/${file}`))
    const files = ['rules.yaml', 'dashboards.json'].map((file) => read(`deploy/helm/signet/files/${file}`))
    const used = [...runbooks, ...files].join('\n')
    expect([...metrics.keys()].filter((name) => !used.includes(name))).toEqual([])
  })

  it('exist for each name in a rule, a dashboard or a runbook', () => {
    const files = ['rules.yaml', 'dashboards.json'].map((file) => read(`deploy/helm/signet/files/${file}`))
    const runbooks = readdirSync(`${ROOT}docs/runbooks`).map((file) => read(`docs/runbooks/${file}`))
    const series = [...files, ...runbooks].flatMap((text) => text.match(/\bsignet_[a-z_]+(?=[{[)])/g) ?? [])
    const names = new Set(series.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
    expect(names.size).toBeGreaterThan(15)
    expect([...names].filter((name) => !metrics.has(name))).toEqual([])
  })
})
