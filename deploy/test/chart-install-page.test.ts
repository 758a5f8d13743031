import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse, parseDocument } from 'yaml'
import { renderChart } from './helm.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const page = read('docs/install-on-kubernetes.md')

/** The block of YAML that follows a sentence of the page. */
function blockAfter(sentence: string): string {
  const [, below = ''] = page.split(sentence)
  return /```yaml\n([\s\S]*?)^```$/m.exec(below)?.[1] ?? ''
}

const values = parse(blockAfter('`values.yaml`:\n'))

it.each(['s', 'm', 'l'])('the values of the page render with the size %s', async (size) => {
  const path = `deploy/helm/signet/sizes/${size}-values.yaml`
  expect(page).toContain(`\`${path}\``)
  const sized = parseDocument(read(path))
  sized.setIn(['components', 'directory', 'settings'], values.components.directory.settings)
  const objects = await renderChart({ ...values, components: sized.toJS().components })
  const directory = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata?.name === 'signet-directory',
  )
  const text = JSON.stringify(directory)
  expect(text).toContain('{"name":"SIGNET_OWN_ACCOUNT_DELETION","value":"on"}')
  expect(text).toContain('{"name":"SIGNET_SIGN_IN_NOTICES","value":"on"}')
})

it('each Secret that the values name is made by a command of the page, or is of another page', async () => {
  const text = JSON.stringify(await renderChart(values))
  const made = new Set([...page.matchAll(/create secret generic (\S+)/g)].map(([, name]) => name))
  const references = text.matchAll(
    /"(?:secretName|secretKeyRef|secretRef|secret)":(?:\{[^{}]*?"name":)?"([^"]+)"/g,
  )
  const named = new Set([...references].map(([, name = '']) => name))
  expect([...made].filter((name) => !named.has(`${name}`))).toEqual([])
  // The certificates of cert-manager, the certificate of the host, and the server of messages.
  const elsewhere = /-mtls$|^id-example-com$|^signet-smtp$/
  expect([...named].filter((name) => !made.has(name) && !elsewhere.test(name))).toEqual([])
})

it('the page names each alert with a runbook that exists', () => {
  const alerts = [...read('deploy/helm/signet/files/rules.yaml').matchAll(/alert: (\w+)/g)].map(
    ([, name]) => name,
  )
  expect(alerts.length).toBeGreaterThan(15)
  expect([...new Set(alerts)].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
