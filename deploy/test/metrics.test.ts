import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')

/** The metrics that the sources register, with their labels. */
function registered(): ReadonlyMap<string, string> {
  const metrics = new Map<string, string>()
  for (const folder of ['apps', 'packages']) {
    for (const name of readdirSync(`${ROOT}${folder}`)) {
      const sources = `${folder}/${name}/src/`
      for (const file of readdirSync(`${ROOT}${sources}`, { recursive: true, encoding: 'utf8' })) {
        if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue
        const definitions = read(`${sources}${file}`).matchAll(
          /name: '(signet_\w+)',\s+help:\s+'[^']+',\s+labels(: \[([^\]]*)\])?/g,
        )
        for (const [, metric = '', , labels = ''] of definitions) metrics.set(metric, labels)
      }
    }
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
