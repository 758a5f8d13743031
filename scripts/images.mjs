// @ts-check
// `npm run images`: builds the image of every app; with `-- --push REGISTRY` it tags and pushes them for the chart.
import { ROOT } from './bootstrap.mjs'
import { Problem, run, runOrFail, say } from './processes.mjs'
import { suiteVersion } from './release/version.mjs'
import { trustOwnAuthority } from './test-images.mjs'

export const APPS = [
  ...['login', 'token', 'introspection', 'keys', 'directory', 'migration', 'federation'],
  ...['migrate', 'cli'],
]
export const BASE_IMAGE = 'node:24-bookworm-slim'

/** @param {string[]} args @param {NodeJS.ProcessEnv} env */
export async function images(args, env = process.env) {
  const registry = registryOf(args)
  if ((await run('docker', ['info'], { env, output: 'capture' })).code !== 0)
    throw new Problem('no Docker engine answers (`docker info`); start one, then run this again')
  const version = suiteVersion()
  const { output: commit } = await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT, output: 'capture' })
  const distrust = await trustOwnAuthority(env)
  try {
    for (const app of APPS) {
      const image = `${registry ?? 'signet'}/${app}:${version}`
      await buildImage(app, image, { env, version, commit: commit.trim() })
      if (registry !== undefined)
        await runOrFail('docker', ['push', '--quiet', image], { env, output: 'capture' })
      process.stdout.write(`${image}\n`)
    }
  } finally {
    await distrust()
  }
  return 0
}

/** The registry of `--push REGISTRY`; undefined without arguments. @param {string[]} args */
function registryOf(args) {
  if (args.length === 0) return undefined
  const [option, registry = '', ...more] = args
  const isName = /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)+$/.test(registry)
  if (option !== '--push' || !isName || more.length > 0)
    throw new Problem('images knows --push REGISTRY alone, such as --push registry.example.com/signet')
  return registry
}

/**
 * Builds the image of an app under this name.
 * @param {string} app
 * @param {string} image
 * @param {{ env: NodeJS.ProcessEnv, version: string, commit: string }} build
 */
export async function buildImage(app, image, { env, version, commit }) {
  say(`building ${app}`)
  const values = { APP: app, VERSION: version, REVISION: commit, NODE_IMAGE: BASE_IMAGE }
  const buildArgs = Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
  // The classic builder where BuildKit is not installed.
  const { code } = await run('docker', ['buildx', 'version'], { env, output: 'capture' })
  const builder = code === 0 ? {} : { DOCKER_BUILDKIT: '0' }
  const file = ['--file', 'deploy/docker/service.Dockerfile']
  const args = ['build', '--quiet', ...file, ...buildArgs, '--tag', image, '.']
  await runOrFail('docker', args, { cwd: ROOT, env: { ...env, ...builder }, output: 'capture' })
}
