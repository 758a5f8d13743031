// Brings node_modules and the generated code up to date with the checkout.
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprint, isDoneFor, onceFor } from './fingerprint.mjs'
import { Problem, ROOT, say, TOOLS } from './project.mjs'
import { run } from './supervise.mjs'
import { withLock } from './tool-folder.mjs'

const GENERATED = ['packages/grpc/src/gen', 'apps/cli/src/api/gen']
// Inside the folder it speaks of: deleting node_modules deletes the claim that it is complete.
const INSTALLED_STAMP = join(ROOT, 'node_modules', '.signet-installed')

/**
 * Installs exactly what the lock file says, when it or a manifest has changed since the last time.
 * @param {{ pnpm: string, env: NodeJS.ProcessEnv }} tools
 */
export async function installDependencies({ pnpm, env }) {
  const manifests = ['apps', 'packages', 'examples'].flatMap((group) =>
    readdirSync(join(ROOT, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${group}/${name}/package.json`),
  )
  const wanted = fingerprint([
    'package.json',
    'pnpm-workspace.yaml',
    'pnpm-lock.yaml',
    'benchmarks/package.json',
    'e2e/package.json',
    ...manifests,
  ])
  if (isDoneFor(INSTALLED_STAMP, wanted)) return
  const install = () =>
    onceFor(INSTALLED_STAMP, wanted, async () => {
      say('installing dependencies')
      // Answers beforehand what pnpm would ask a person.
      const { code } = await run(pnpm, ['install', '--frozen-lockfile'], {
        cwd: ROOT,
        env: { ...env, CI: 'true' },
      })
      if (code !== 0) throw new Problem('pnpm install failed; see above')
    })
  await withLock('install', install, () => say('waiting for another command that installs dependencies'))
}

/**
 * Generates TypeScript from the protobuf contracts and the OpenAPI document, when they have changed since the last time.
 * @param {NodeJS.ProcessEnv} env
 */
export async function generateCode(env) {
  const stamp = join(TOOLS, 'generated')
  if (!GENERATED.every((folder) => existsSync(join(ROOT, folder)))) await rm(stamp, { force: true })
  const wanted = fingerprint([
    'proto',
    'packages/grpc/buf.gen.yaml',
    'packages/grpc/package.json',
    'apps/directory/openapi.json',
    'apps/cli/scripts/generate-client.mjs',
    'apps/cli/package.json',
    'pnpm-lock.yaml',
  ])
  if (isDoneFor(stamp, wanted)) return
  const generate = () =>
    onceFor(stamp, wanted, async () => {
      say('generating code from the contracts')
      const args = ['run', 'generate', '--env-mode=loose', '--output-logs=errors-only']
      const { code } = await run('turbo', args, { cwd: ROOT, env })
      if (code !== 0) throw new Problem('generating code failed; see above')
    })
  await withLock('generate', generate, () => say('waiting for another command that generates code'))
}
