// @ts-check
// `npm run release`: builds the images of all apps, describes and signs them in release/vVERSION, and publishes them with a
// tag; with --dry-run it publishes nothing. docs/releasing.md describes the folder.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { prepare, ROOT } from '../bootstrap.mjs'
import { APPS, BASE_IMAGE, buildImage } from '../images.mjs'
import { Problem, run, runOrFail, say } from '../processes.mjs'
import { findProgram } from '../system-packages.mjs'
import { trustOwnAuthority } from '../test-images.mjs'
import { audit } from './audit.mjs'
import {
  changelogEntry,
  checksums,
  envelope,
  imageBom,
  provenance,
  sha256,
  signature,
  signingKey,
  withDigests,
} from './documents.mjs'
import { suiteVersion } from './version.mjs'

const CHART = 'deploy/helm/signet'

/** @typedef {{ env: NodeJS.ProcessEnv, version: string, folder: string }} Release */

/** @param {string[]} args */
export async function release(args) {
  const unknown = args.filter((arg) => arg !== '--dry-run')
  if (unknown.length > 0) throw new Problem(`release knows --dry-run alone, not ${unknown.join(' ')}`)
  const dryRun = args.length > 0
  const startedOn = new Date().toISOString()
  const version = suiteVersion()
  const notes = changelogEntry(read('CHANGELOG.md'), version)
  const checkout = await stateOfCheckout()
  const { SIGNET_RELEASE_REGISTRY: registry, SIGNET_RELEASE_BUILDER: builder } = process.env
  if (!dryRun) await refuseUnready(version, checkout, registry)
  const key = releaseKey()
  const env = await prepare()
  await requireTools(env)
  const audited = await audit({ cwd: ROOT, env, today: startedOn.slice(0, 10) })
  say(audited)

  const folder = join(ROOT, 'release', `v${version}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'sbom'), { recursive: true })
  const current = { env, version, folder }
  write(folder, 'audit.txt', `${startedOn} ${audited}\n`)
  const distrust = await trustOwnAuthority(env)
  try {
    for (const app of APPS) await addImage(app, checkout.commit, current)
  } finally {
    await distrust()
  }
  const digests = digestsIn(join(folder, 'images'))
  for (const app of APPS) await writeBom(app, `${digests[app]}`, current)
  const chart = await packageChart(digests, registry, current)
  const base = await output('docker', [
    'image',
    'inspect',
    '--format',
    '{{range .RepoDigests}}{{.}} {{end}}{{.Id}}',
    BASE_IMAGE,
  ])
  const statement = provenance({
    subjects: { ...digests, [chart]: `sha256:${sha256(readFileSync(join(folder, chart)))}` },
    version,
    ...checkout,
    baseImage: { name: BASE_IMAGE, digest: base.split(' ')[0]?.replace(/^.*@/, '') ?? '' },
    builder: builder || `urn:host:${hostname()}`,
    startedOn,
    finishedOn: new Date().toISOString(),
  })
  write(folder, 'provenance.json', `${JSON.stringify(envelope(statement, key), undefined, 2)}\n`)
  write(folder, 'images.json', `${JSON.stringify(digests, undefined, 2)}\n`)
  write(folder, 'notes.md', `${notes}\n`)
  const sums = checksums(filesOf(folder))
  write(folder, 'SHA256SUMS', sums)
  if (key) write(folder, 'SHA256SUMS.sig', `${signature(Buffer.from(sums), key)}\n`)
  say(key ? 'signed' : 'unsigned: SIGNET_RELEASE_KEY names no key')
  if (dryRun) say('dry run: nothing was tagged or pushed')
  else await publish(`${registry}`, chart, current)
  process.stdout.write(`${folder}\n`)
  return 0
}

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), 'utf8')

/** @param {string} folder @param {string} path @param {string} content */
const write = (folder, path, content) => writeFileSync(join(folder, path), content)

/** Trimmed standard output; standard error is part of it. @param {string} program @param {string[]} args */
const output = async (program, args) =>
  (await runOrFail(program, args, { cwd: ROOT, output: 'capture' })).trim()

async function stateOfCheckout() {
  const commit = await output('git', ['rev-parse', 'HEAD'])
  const changes = await output('git', ['status', '--porcelain'])
  const { code, output: origin } = await run('git', ['remote', 'get-url', 'origin'], {
    cwd: ROOT,
    output: 'capture',
  })
  // Without a user and password, which the address of a checkout in CI often has.
  const repository = code === 0 ? origin.trim().replace(/^(\w+:\/\/)[^/@]*@/, '$1') : 'unpublished'
  return { commit, dirty: changes !== '', repository }
}

/**
 * @param {string} version
 * @param {{ dirty: boolean, repository: string }} checkout
 * @param {string | undefined} registry
 */
async function refuseUnready(version, { dirty, repository }, registry) {
  const waiting = readdirSync(join(ROOT, '.changeset')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  )
  const problems = [
    ...(dirty ? ['the checkout has changes that no commit has; commit them'] : []),
    ...(waiting.length > 0 ? [`changesets wait (${waiting.join(', ')}); run npm run release:version`] : []),
    ...((await output('git', ['tag', '--list', `v${version}`]))
      ? [`the tag v${version} exists; make a new version`]
      : []),
    ...(registry
      ? []
      : ['SIGNET_RELEASE_REGISTRY is not set; name where images go, such as registry.example.com/signet']),
    ...(repository === 'unpublished' ? ['there is no Git remote `origin` to push the tag to'] : []),
  ]
  if (problems.length > 0) throw new Problem(`not released:\n${problems.join('\n')}`)
}

function releaseKey() {
  const { SIGNET_RELEASE_KEY: path, SIGNET_RELEASE_KEY_PASSPHRASE: passphrase } = process.env
  if (!path) return undefined
  if (!existsSync(path)) throw new Problem(`SIGNET_RELEASE_KEY names ${path}, which does not exist`)
  return signingKey(readFileSync(path, 'utf8'), passphrase)
}

/** Names all that is missing, in one Problem. @param {NodeJS.ProcessEnv} env */
export async function requireTools(env) {
  const missing = ['docker', 'helm', 'skopeo'].filter(
    (name) => findProgram({ programs: [name] }, env) === undefined,
  )
  const problems = missing.map((name) => `${name} is not installed`)
  if (!missing.includes('docker') && (await run('docker', ['info'], { env, output: 'capture' })).code !== 0)
    problems.push('no Docker engine answers (`docker info`)')
  if (problems.length > 0)
    throw new Problem(`a release needs Docker, Helm and skopeo:\n${problems.join('\n')}`)
}

/** Builds the image and adds it to the OCI layout `images`, by whose digest it is published. @param {string} app @param {string} commit @param {Release} release */
async function addImage(app, commit, { env, version, folder }) {
  const image = `signet/${app}:${version}`
  await buildImage(app, image, { env, version, commit })
  const copy = ['copy', '--quiet', `docker-daemon:${image}`, `oci:${join(folder, 'images')}:${app}`]
  await runOrFail('skopeo', copy, { env, output: 'capture' })
}

/** Digest by app. @param {string} layout folder of an OCI image layout @returns {Record<string, string>} */
function digestsIn(layout) {
  const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'))
  return Object.fromEntries(
    manifests.map((/** @type {any} */ { digest, annotations }) => [
      annotations['org.opencontainers.image.ref.name'],
      digest,
    ]),
  )
}

/** Run in a container of an image, which has no other program than node. */
const DESCRIBE = `
  const folder = '/var/lib/dpkg/status.d/'
  const packages = fs.readdirSync(folder).map((name) => fs.readFileSync(folder + name, 'utf8'))
  const release = fs.readFileSync('/etc/os-release', 'utf8')
  const field = (name) => new RegExp('^' + name + '="?([^"\\\\n]*)', 'm').exec(release)?.[1]
  const distribution = field('ID') + '-' + field('VERSION_ID')
  console.log(JSON.stringify({ node: process.versions.node, packages, distribution }))`

/** @param {string} app @param {string} digest @param {Release} release */
async function writeBom(app, digest, { env, version, folder }) {
  const path = join(folder, 'sbom', `${app}.cdx.json`)
  const format = [
    '--split',
    '--sbom-format',
    'cyclonedx',
    '--sbom-spec-version',
    '1.6',
    '--sbom-type',
    'application',
  ]
  // pnpm writes signet-APP in place of %s.
  const args = [
    '--filter',
    `@signet/${app}`,
    'sbom',
    '--prod',
    ...format,
    '--out',
    join(folder, 'sbom', '%s'),
  ]
  await runOrFail('pnpm', args, { cwd: ROOT, env, output: 'capture' })
  const image = `signet/${app}:${version}`
  const describe = ['run', '--rm', '--network', 'none', '--entrypoint', 'node', image, '--eval', DESCRIBE]
  const content = JSON.parse(await output('docker', describe))
  const listed = join(folder, 'sbom', `signet-${app}`)
  const bom = imageBom(JSON.parse(readFileSync(listed, 'utf8')), { app, version, digest, content })
  rmSync(listed)
  writeFileSync(path, `${JSON.stringify(bom, undefined, 2)}\n`)
}

/** The name of the archive. @param {Record<string, string>} digests @param {string | undefined} registry @param {Release} release */
async function packageChart(digests, registry, { env, version, folder }) {
  const copy = join(folder, 'signet')
  cpSync(join(ROOT, CHART), copy, { recursive: true })
  write(copy, 'values.yaml', withDigests(read(`${CHART}/values.yaml`), digests, registry))
  await runOrFail('helm', ['package', copy, '--destination', folder], { env, output: 'capture' })
  rmSync(copy, { recursive: true })
  return `signet-${version}.tgz`
}

/** Content by path, without the blobs, whose names are their digests. @param {string} folder */
function filesOf(folder) {
  const paths = ['', 'sbom', 'images'].flatMap((parent) =>
    readdirSync(join(folder, parent), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(parent, entry.name)),
  )
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]))
}

/** The tag is pushed last, when images and chart can be fetched. @param {string} registry @param {string} chart @param {Release} release */
async function publish(registry, chart, { env, version, folder }) {
  const plain = /^(localhost|127\.0\.0\.1)(:|\/)/.test(registry)
  for (const app of APPS) {
    const target = `docker://${registry}/${app}:${version}`
    say(`pushing ${target}`)
    const options = ['--quiet', '--preserve-digests', ...(plain ? ['--dest-tls-verify=false'] : [])]
    await runOrFail('skopeo', ['copy', ...options, `oci:${join(folder, 'images')}:${app}`, target], { env })
  }
  const push = ['push', join(folder, chart), `oci://${registry}/charts`, ...(plain ? ['--plain-http'] : [])]
  await runOrFail('helm', push, { env })
  await runOrFail('git', ['tag', '--annotate', `v${version}`, '--message', `Signet ${version}`], {
    cwd: ROOT,
    env,
  })
  await runOrFail('git', ['push', 'origin', `v${version}`], { cwd: ROOT, env })
}
