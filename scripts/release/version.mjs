// @ts-check
// `npm run release:version`: makes the next version of the changesets that wait in .changeset. `changeset version` gives
// all workspaces the same one; this writes it into the other files that state it, and one entry into CHANGELOG.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runOrFail } from '../processes.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Services report the version of this manifest in logs and traces. */
const SOURCE = 'packages/platform/package.json'

/** The pattern finds the version alone. @type {readonly (readonly [path: string, pattern: RegExp])[]} */
const STATED = [
  ['package.json', /(?<=^ {2}"version": ")[^"]+/gm],
  ['apps/cli/README.md', /(?<=signet-cli-)\d+\.\d+\.\d+(?:-[\w.]+)?(?=\.tgz)/g],
  ['deploy/helm/signet/Chart.yaml', /(?<=^(?:version|appVersion): ).+$/gm],
]

/** The version of the suite. @param {string} [root] */
export function suiteVersion(root = ROOT) {
  return String(JSON.parse(readFileSync(join(root, SOURCE), 'utf8')).version)
}

/**
 * The files, other than manifests of workspaces, that state another version. With `write` they are corrected.
 * @param {{ root?: string, write?: boolean }} [options]
 */
export function otherVersions({ root = ROOT, write = false } = {}) {
  const version = suiteVersion(root)
  return STATED.filter(([path, pattern]) => {
    const text = readFileSync(join(root, path), 'utf8')
    const stated = text.match(pattern) ?? []
    if (stated.length > 0 && stated.every((found) => found === version)) return false
    if (write) writeFileSync(join(root, path), text.replaceAll(pattern, version))
    return true
  }).map(([path]) => path)
}

const HEADINGS = { major: 'Major changes', minor: 'Minor changes', patch: 'Patch changes' }

/**
 * The changelog with an entry for the version: each change once, under the widest bump that its changeset asks for.
 * @param {string} changelog
 * @param {string} version
 * @param {readonly { summary: string, releases: readonly { type: string }[] }[]} changesets
 */
export function withEntry(changelog, version, changesets) {
  const widths = Object.keys(HEADINGS)
  const width = (/** @type {{ releases: readonly { type: string }[] }} */ { releases }) =>
    widths.find((type) => releases.some((release) => release.type === type))
  const parts = Object.entries(HEADINGS).map(([type, heading]) => {
    const changes = changesets.filter((changeset) => width(changeset) === type)
    const lines = changes.map(({ summary }) => `- ${summary.trim().replaceAll('\n', '\n  ')}`)
    return lines.length === 0 ? '' : `### ${heading}\n\n${lines.join('\n')}\n\n`
  })
  return changelog.replace(/^(# .+\n\n)/, `$1## ${version}\n\n${parts.join('')}`)
}

async function makeVersion() {
  // Loaded here, because the release loads this module before the dependencies are installed.
  const { readChangesets } = await import('@changesets/read')
  const changesets = await readChangesets(ROOT)
  if (changesets.length === 0)
    throw new Error('no changeset waits in .changeset; add one with `npm run changeset`')
  const before = suiteVersion()
  await runOrFail('changeset', ['version'], { cwd: ROOT })
  const version = suiteVersion()
  if (version === before) throw new Error(`the changesets ask for no other version than ${before}`)
  otherVersions({ write: true })
  const path = join(ROOT, 'CHANGELOG.md')
  writeFileSync(path, withEntry(readFileSync(path, 'utf8'), version, changesets))
  process.stdout.write(`version ${version}: read CHANGELOG.md, then commit\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeVersion()
