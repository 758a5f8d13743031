import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { otherVersions, suiteVersion, withEntry } from '../release/version.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILES = ['package.json', 'apps/cli/README.md', 'deploy/helm/signet/Chart.yaml']

describe('the version of the suite', () => {
  it('is the same in every file that states it', () => {
    expect(otherVersions()).toEqual([])
  })

  it('is the newest entry of the changelog', () => {
    const [, newest] = /^## (.+)$/m.exec(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')) ?? []
    expect(newest).toBe(suiteVersion())
  })

  it('is written into the other files when it changes', () => {
    const root = temporaryFolder({ 'packages/platform/package.json': '{"version":"3.2.1-rc.0"}' })
    for (const file of FILES) cpSync(join(ROOT, file), join(root, file))
    expect(otherVersions({ root })).toEqual(FILES)
    expect(otherVersions({ root, write: true })).toEqual(FILES)
    expect(otherVersions({ root })).toEqual([])
    expect(readFileSync(join(root, 'deploy/helm/signet/Chart.yaml'), 'utf8')).toMatch(
      /^version: 3\.2\.1-rc\.0\nappVersion: 3\.2\.1-rc\.0$/m,
    )
  })
})

it('the changelog names each change once, under the widest bump of its changeset', () => {
  const changesets = [
    { summary: 'fix one', releases: [{ type: 'patch' }] },
    { summary: 'add two\nwith a line', releases: [{ type: 'patch' }, { type: 'minor' }] },
    { summary: 'nothing to release', releases: [{ type: 'none' }] },
  ]
  expect(withEntry('# Changelog\n\n## 1.0.0\n', '1.1.0', changesets)).toBe(
    '# Changelog\n\n## 1.1.0\n\n### Minor changes\n\n- add two\n  with a line\n\n### Patch changes\n\n- fix one\n\n## 1.0.0\n',
  )
})
