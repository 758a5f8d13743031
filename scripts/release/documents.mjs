// @ts-check
// The documents of a release: SBOM, provenance, signatures and checksums. Nothing here reads the clock or runs a program.
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { Problem } from '../processes.mjs'

/**
 * @typedef {object} ImageContent what a container of the image says of itself
 * @property {string} node version of Node.js
 * @property {string[]} packages status of each Debian package, as dpkg writes it
 * @property {string} distribution such as debian-12
 */

/**
 * The CycloneDX document of an image: the components that pnpm lists for the app, the Debian packages and Node.js.
 * @param {any} bom CycloneDX 1.6 of pnpm
 * @param {{ app: string, version: string, digest: string, content: ImageContent }} image
 */
export function imageBom(bom, { app, version, digest, content }) {
  const own = bom.metadata.component
  const components = [
    ...content.packages.map((status) => debianComponent(status, content.distribution)),
    nodeComponent(content.node),
  ]
  const ref = `pkg:oci/${app}@${encodeURIComponent(digest)}`
  const image = {
    type: 'container',
    'bom-ref': ref,
    group: 'signet',
    name: app,
    version,
    purl: ref,
    hashes: [{ alg: 'SHA-256', content: digest.replace('sha256:', '') }],
  }
  const dependsOn = [own['bom-ref'], ...components.map((component) => component['bom-ref'])]
  return {
    ...bom,
    metadata: { ...bom.metadata, component: image },
    components: [own, ...bom.components, ...components],
    dependencies: [...bom.dependencies, { ref, dependsOn }],
  }
}

/** @param {string} status @param {string} distribution */
function debianComponent(status, distribution) {
  const field = (/** @type {string} */ name) => new RegExp(`^${name}: (.+)$`, 'm').exec(status)?.[1] ?? ''
  const [name, version, arch] = ['Package', 'Version', 'Architecture'].map(field)
  const purl = `pkg:deb/debian/${encodeURIComponent(`${name}`)}@${encodeURIComponent(`${version}`)}?arch=${arch}&distro=${distribution}`
  return { type: 'library', 'bom-ref': purl, name, version, purl }
}

/** @param {string} version */
function nodeComponent(version) {
  const purl = `pkg:generic/node@${version}`
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`
  return { type: 'platform', 'bom-ref': purl, name: 'node', version, purl, cpe }
}

/**
 * @typedef {object} Build
 * @property {Readonly<Record<string, string>>} subjects digest (sha256:…) by name
 * @property {string} version
 * @property {string} commit
 * @property {boolean} dirty whether the checkout had changes that the commit does not have
 * @property {string} repository address that Git fetches from
 * @property {{ name: string, digest: string }} baseImage
 * @property {string} builder a URI for the machine or service that built
 * @property {string} startedOn RFC 3339
 * @property {string} finishedOn RFC 3339
 */

/** An in-toto statement with SLSA provenance, version 1. @param {Build} build */
export function provenance(build) {
  const sha256 = (/** @type {string} */ digest) => ({ sha256: digest.replace('sha256:', '') })
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Object.entries(build.subjects).map(([name, digest]) => ({ name, digest: sha256(digest) })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:signet:npm-run-release:1',
        externalParameters: { version: build.version, dirty: build.dirty },
        resolvedDependencies: [
          { uri: `git+${build.repository}`, digest: { gitCommit: build.commit } },
          { uri: `docker:${build.baseImage.name}`, digest: sha256(build.baseImage.digest) },
        ],
      },
      runDetails: {
        builder: { id: build.builder },
        metadata: { startedOn: build.startedOn, finishedOn: build.finishedOn },
      },
    },
  }
}

const STATEMENT_TYPE = 'application/vnd.in-toto+json'

/**
 * A DSSE envelope of the statement; without a key it has no signature.
 * @param {object} statement
 * @param {import('node:crypto').KeyObject} [key]
 */
export function envelope(statement, key) {
  const body = Buffer.from(JSON.stringify(statement))
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${STATEMENT_TYPE.length} ${STATEMENT_TYPE} ${body.length} `),
    body,
  ])
  return {
    payloadType: STATEMENT_TYPE,
    payload: body.toString('base64'),
    signatures: key ? [{ sig: signature(signed, key) }] : [],
  }
}

/** ECDSA with SHA-256 in DER, in base64: the form of `cosign verify-blob`. @param {Buffer} data @param {import('node:crypto').KeyObject} key */
export function signature(data, key) {
  return sign('sha256', data, key).toString('base64')
}

/** Reads a private key for P-256. Throws a Problem for any other. @param {string} pem @param {string} [passphrase] */
export function signingKey(pem, passphrase) {
  let key
  try {
    key = createPrivateKey({ key: pem, ...(passphrase ? { passphrase } : {}) })
  } catch (error) {
    throw new Problem(
      `SIGNET_RELEASE_KEY is no private key in PEM that can be read: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Problem(
      'SIGNET_RELEASE_KEY has to be a key for ECDSA on P-256: openssl ecparam -name prime256v1 -genkey',
    )
  return key
}

/** @param {string | Buffer} data */
export const sha256 = (data) => createHash('sha256').update(data).digest('hex')

/**
 * Returns a line for each file, as `sha256sum --check` reads it.
 * @param {Readonly<Record<string, string | Buffer>>} files content by path
 */
export function checksums(files) {
  return Object.entries(files)
    .map(([path, content]) => `${sha256(content)}  ${path}\n`)
    .sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1))
    .join('')
}

/**
 * The chart's values with the digest of every image, and the registry where it is known. Throws when values.yaml has
 * no empty `digests` to fill.
 * @param {string} values
 * @param {Readonly<Record<string, string>>} digests by app
 * @param {string | undefined} registry
 */
export function withDigests(values, digests, registry) {
  const lines = Object.entries(digests).map(([app, digest]) => `    ${app}: ${digest}`)
  const filled = values.replace(/^ {2}digests: \{\}$/m, `  digests:\n${lines.join('\n')}`)
  if (filled === values) throw new Error('values.yaml has no line `  digests: {}`')
  return registry ? filled.replace(/^ {2}repository: ""$/m, `  repository: ${registry}`) : filled
}

/** The entry of a version, without its heading. @param {string} changelog @param {string} version */
export function changelogEntry(changelog, version) {
  const [, ...entries] = changelog.split(/^## /m)
  const entry = entries.find((text) => text.startsWith(`${version}\n`))
  if (entry === undefined)
    throw new Problem(`CHANGELOG.md has no entry for ${version}; run npm run release:version`)
  return entry.slice(version.length).trim()
}
