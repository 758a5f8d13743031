// @ts-check
// `npm run test:images`: builds every image, starts docker-compose.yml under names of its own, runs the tests of
// vitest.images.config.ts against it, and removes it.
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare, ROOT } from './bootstrap.mjs'
import { buildGoProgram } from './go-programs.mjs'
import { Problem, run, runOrFail, say } from './processes.mjs'

/** @param {string[]} args for vitest */
export async function testImages(args) {
  if (!(await succeeds('docker', ['info']))) {
    throw new Problem(
      'no container engine answers (`docker info`), so no image was built and nothing was tested',
    )
  }
  const prepared = await prepare()
  const env = {
    ...prepared,
    SIGNET_PORT: `${await freePort()}`,
    SIGNET_NETWORK: `172.31.${process.pid % 240}`,
    SIGNET_VERSION: 'test',
    SIGNET_REVISION: 'commit-of-the-test',
    // The classic builder where BuildKit is not installed.
    ...(!(await succeeds('docker', ['buildx', 'version'])) && {
      DOCKER_BUILDKIT: '0',
      COMPOSE_DOCKER_CLI_BUILD: '0',
    }),
  }
  const [program = '', ...first] = [
    ...(await composeCommand()),
    '--project-name',
    `signet-test-${process.pid}`,
  ]
  const options = { cwd: ROOT, env, output: /** @type {const} */ ('capture') }
  /** @param {string[]} rest */
  const compose = (...rest) => runOrFail(program, [...first, ...rest], options)
  const distrust = await trustOwnAuthority(prepared)
  try {
    say('building the images')
    await compose('build')
    await prepareObjectStorageImage(env)
    say('starting the suite')
    await compose('up', '--detach')
    const { code } = await run('vitest', ['run', '--config', 'vitest.images.config.ts', ...args], {
      cwd: ROOT,
      env: {
        ...env,
        SIGNET_TEST_COMPOSE: JSON.stringify([program, ...first]),
        TESTCONTAINERS_RYUK_DISABLED: 'true',
      },
      ipc: true,
      output: 'inherit',
    })
    return code
  } catch (error) {
    say(await compose('logs', '--no-color', '--tail=20').catch(() => ''))
    throw error
  } finally {
    await distrust()
    const down = [...first, 'down', '--volumes', '--timeout', '5']
    await runOrFail(program, down, { ...options, afterStop: true })
  }
}

/** @returns {Promise<string[]>} */
async function composeCommand() {
  if (await succeeds('docker', ['compose', 'version'])) return ['docker', 'compose']
  if (await succeeds('docker-compose', ['version'])) return ['docker-compose']
  throw new Problem('neither `docker compose` nor docker-compose is installed')
}

/**
 * Copies the authorities that Node.js trusts here to where builds of images read them. Returns what removes the copy.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<() => Promise<void>>}
 */
export async function trustOwnAuthority({ NODE_EXTRA_CA_CERTS: bundle }) {
  const folder = join(ROOT, 'deploy', 'docker', 'certificate-authorities')
  if (!bundle || (await readdir(folder)).some((name) => name.endsWith('.pem'))) return async () => {}
  const copy = join(folder, 'node-extra-ca-certs.pem')
  await copyFile(bundle, copy)
  return () => rm(copy, { force: true })
}

const DOCKERFILE = `FROM debian:bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends wget >/dev/null && rm -rf /var/lib/apt/lists/*
COPY versitygw /usr/local/bin/versitygw
ENTRYPOINT ["versitygw"]
`

/**
 * Has the image of the object storage under its public name. Where it cannot be pulled, it is built from its Go module with
 * the programs that docker-compose.yml expects in it: `versitygw`, a shell and wget.
 * @param {NodeJS.ProcessEnv} env
 */
async function prepareObjectStorageImage(env) {
  const compose = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8')
  const [, image = '', version = ''] = /\bimage: (versity\/versitygw:(v[\d.]+))$/m.exec(compose) ?? []
  if (await succeeds('docker', ['image', 'inspect', image])) return
  if (await succeeds('docker', ['pull', image])) return
  const folder = await mkdtemp(join(tmpdir(), 'signet-object-storage-'))
  try {
    await buildGoProgram(`github.com/versity/versitygw/cmd/versitygw@${version}`, folder, env)
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE)
    await runOrFail('docker', ['build', '--tag', image, folder], { env, output: 'capture' })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** @param {string} command @param {string[]} args */
async function succeeds(command, args) {
  const { code } = await run(command, args, { output: 'capture' }).catch(() => ({ code: 1 }))
  return code === 0
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
