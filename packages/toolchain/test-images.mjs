// `npm run test:images`: builds every image, starts docker-compose.yml under names of its own, runs the tests of
// vitest.images.config.ts against it, and takes it away again.
import { copyFile, readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { prepareObjectStorageImage } from './object-storage-image.mjs'
import { Problem, ROOT, say } from './project.mjs'
import { run, runQuietly, succeeds } from './supervise.mjs'
import { prepareTools } from './tools.mjs'
import { generateCode, installDependencies } from './workspace.mjs'

const AUTHORITIES = join(ROOT, 'deploy', 'docker', 'certificate-authorities')

/** @param {string[]} args for vitest */
export async function testImages(args) {
  if (!(await succeeds('docker', ['info']))) {
    throw new Problem(
      'no container engine answers (`docker info`), so no image was built and nothing was tested',
    )
  }
  const tools = await prepareTools()
  await installDependencies(tools)
  await generateCode(tools.env)
  await trustOwnAuthority(tools.env)
  const port = await freePort()
  const project = `signet-test-${process.pid}`
  const env = {
    ...tools.env,
    SIGNET_PORT: `${port}`,
    SIGNET_NETWORK: `172.31.${process.pid % 240}`,
    SIGNET_VERSION: 'test',
    // The classic builder where BuildKit is not installed.
    ...(!(await succeeds('docker', ['buildx', 'version'])) && {
      DOCKER_BUILDKIT: '0',
      COMPOSE_DOCKER_CLI_BUILD: '0',
    }),
  }
  const compose = [...(await composeCommand()), '--project-name', project]
  const [program = '', ...first] = compose
  /** @param {string} purpose @param {string[]} rest */
  const composed = (purpose, ...rest) => runQuietly(purpose, program, [...first, ...rest], { cwd: ROOT, env })
  await prepareObjectStorageImage(env)
  say('building the images')
  await composed('building', 'build')
  try {
    say('starting the suite')
    await composed('starting', 'up', '--detach')
    const { code } = await run('vitest', ['run', '--config', 'vitest.images.config.ts', ...args], {
      cwd: ROOT,
      env: { ...env, SIGNET_TEST_COMPOSE: JSON.stringify(compose), TESTCONTAINERS_RYUK_DISABLED: 'true' },
      leash: true,
      output: 'inherit',
    })
    return code
  } catch (error) {
    say(await composed('reading the logs', 'logs', '--no-color', '--tail=20').catch(() => ''))
    throw error
  } finally {
    await composed('stopping', 'down', '--volumes', '--timeout', '5')
  }
}

/** @returns {Promise<string[]>} */
async function composeCommand() {
  if (await succeeds('docker', ['compose', 'version'])) return ['docker', 'compose']
  if (await succeeds('docker-compose', ['version'])) return ['docker-compose']
  throw new Problem('neither `docker compose` nor docker-compose is installed')
}

/**
 * Where Node.js is told to trust an authority, the build has to trust it too.
 * @param {NodeJS.ProcessEnv} env
 */
async function trustOwnAuthority({ NODE_EXTRA_CA_CERTS: bundle }) {
  if (!bundle || (await readdir(AUTHORITIES)).some((name) => name.endsWith('.pem'))) return
  await copyFile(bundle, join(AUTHORITIES, 'node-extra-ca-certs.pem'))
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
