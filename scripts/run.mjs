// @ts-check
// `npm start`, `npm run dev`, `npm test` …: prepares the checkout, then runs the command. Runs on Node.js 18 with nothing
// installed; the programs that it starts run on the pinned Node.js.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { prepare, prepareCommandLine, provideOldNode, ROOT } from './bootstrap.mjs'
import { provideHelm } from './go-programs.mjs'
import { images } from './images.mjs'
import { Problem, run, runOrFail, say, stopChildrenWithThisProcess, stopExitCode } from './processes.mjs'
import { release } from './release/release.mjs'
import { findProgram, provide, REQUIREMENTS } from './system-packages.mjs'
import { countReport, countTests, readRuns } from './test-counts.mjs'
import { testImages } from './test-images.mjs'
import { testInterop as runInterop } from './test-interop.mjs'
import { testKubernetes } from './test-kubernetes.mjs'
import { testNightly } from './test-nightly.mjs'
import { testUpgrade } from './test-upgrade.mjs'

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const COMMANDS = {
  // The default size of the young generation depends on the memory of the machine; a large one makes an import of many
  // users take half as much memory again. The benchmarks use the same option.
  start: (args) => runServices(['--max-semi-space-size=16', 'apps/standalone/src/main.ts', ...args]),
  dev: (args) => runServices(['apps/standalone/src/dev.ts', ...args]),
  'dev:servers': devServers,
  example,
  signet,
  bench,
  'bench:peers': benchPeers,
  docs: () => pnpm(['--filter', '@signet/docs', 'dev']),
  pnpm,
  images: (args) => images(args),
  generate,
  check: async () => ((await passesChecks(await prepare())) ? 0 : 1),
  test: (args) => test(args, {}),
  'test:changed': () => test([], { affected: true }),
  'test:full': (args) => test(args, { full: true }),
  'test:soak': (args) => test(args, { full: true, soak: true }),
  'test:interop': testInterop,
  'test:images': testImages,
  'test:upgrade': testUpgrade,
  release,
  'test:kubernetes': testKubernetes,
  'test:nightly': (args) => testNightly(args),
}

/** @param {string[]} nodeArgs */
async function runServices(nodeArgs) {
  const { SIGNET_REDIS_URL } = process.env
  const [env] = await Promise.all([prepare(), SIGNET_REDIS_URL || provide(REQUIREMENTS.redis)])
  await buildConsole(env)
  return (await run('node', nodeArgs, { cwd: ROOT, env, ipc: true, output: 'inherit' })).code
}

/** Builds the console, unless its sources are those of the last time. @param {NodeJS.ProcessEnv} env */
async function buildConsole(env) {
  const args = ['run', '@signet/console#build', '--env-mode=loose', '--output-logs=errors-only']
  await runOrFail('turbo', args, { cwd: ROOT, env, output: 'capture' })
}

/** `npm run dev:servers`: the servers that tests use while they run. */
async function devServers() {
  const [env] = await Promise.all([prepare(), provide(REQUIREMENTS.redis)])
  return withFolderForTests(
    env,
    async () =>
      (await run('node', ['packages/testing/src/dev-servers.ts'], { cwd: ROOT, env, output: 'inherit' }))
        .code,
  )
}

/** `npm run example`, `npm run example:spa` …: one of the applications in the folder `examples`. @param {string[]} args */
async function example([folder = '']) {
  const names = readdirSync(join(ROOT, 'examples')).filter((entry) => existsSync(server(entry)))
  if (!names.includes(folder)) throw new Problem(`"${folder}" is not one of ${names.join(', ')}`)
  const env = await prepare()
  return (await run('node', [server(folder)], { env, output: 'inherit' })).code
}

/**
 * `npm run signet -- organization list`: the command line. Files are named from the folder of the caller, and standard
 * output has the answer of the command alone with `npm run --silent`.
 * @param {string[]} args
 */
async function signet(args) {
  const env = await prepareCommandLine()
  const { INIT_CWD: cwd = process.cwd() } = process.env
  const main = join(ROOT, 'apps', 'cli', 'src', 'main.ts')
  return (await run('node', [main, ...args], { cwd, env, output: 'inherit', terminal: true })).code
}

/**
 * `npm run pnpm -- --filter @signet/cli package "$PWD"`: the pnpm of this checkout, for a machine that has npm alone.
 * @param {string[]} args
 */
async function pnpm(args) {
  const env = await prepare()
  return (await run('pnpm', args, { cwd: ROOT, env, output: 'inherit' })).code
}

/** @param {string} folder */
const server = (folder) => join(ROOT, 'examples', folder, 'server.mjs')

/** `npm run bench`: bundles the services as their images have them, then measures. @param {string[]} rows */
async function bench(rows) {
  const env = await prepare()
  await provide(REQUIREMENTS.redis)
  // The console has no process of its own.
  const apps = readdirSync(join(ROOT, 'apps'))
    .map((app) => join('apps', app))
    .filter((app) => existsSync(join(ROOT, app, 'src', 'main.ts')))
  await runOrFail('node', ['deploy/docker/bundle-app.ts', ...apps], { cwd: ROOT, env, output: 'capture' })
  return (
    await run('node', ['benchmarks/src/main.ts', ...rows], { cwd: ROOT, env, ipc: true, output: 'inherit' })
  ).code
}

/** `npm run bench:peers`: Signet beside Keycloak, which Maven fetches. @param {string[]} rows */
async function benchPeers(rows) {
  const missing = ['java', 'mvn'].filter((program) => !findProgram({ programs: [program] }, process.env))
  for (const program of missing) say(`needs ${program}, which is not installed`)
  return missing.length > 0 ? 1 : bench([...rows, '--peers'])
}

/**
 * `npm run generate`: writes everything that is made of sources and stands in the repository, and the snapshots of the public
 * surface, whose difference shows what a change adds to it.
 */
async function generate() {
  const env = await prepare()
  await provide(REQUIREMENTS.redis)
  const options = { cwd: ROOT, env }
  await runOrFail('pnpm', ['--recursive', '--if-present', 'run', '/^generate:/'], options)
  const schemas = ['apps/directory/bootstrap.schema.json', 'docs/reference/export-document.schema.json']
  await runOrFail('biome', ['format', '--write', ...schemas], options)
  return (
    await run('vitest', ['run', 'e2e/test/public-surface.test.ts', '--update'], { ...options, ipc: true })
  ).code
}

const CHECKS = ['typecheck:all', 'lint', 'lint:proto', 'boundaries', 'unused', 'prose', 'lint:commits']
const TURBO_OPTIONS = ['--continue', '--env-mode=loose', '--summarize']

/** @param {NodeJS.ProcessEnv} env */
async function passesChecks(env) {
  const options = [...TURBO_OPTIONS, '--concurrency=2', '--output-logs=errors-only']
  return (await run('turbo', ['run', ...CHECKS, ...options], { cwd: ROOT, env })).code === 0
}

/** Programs for the files that vitest.config.ts leaves out of `npm test`, and for a test of the command line. */
const OPTIONAL = /** @type {const} */ (['pgbouncer', 'promtool', 'helm', 'node18'])

/**
 * The checks and the tests. Tests run although a check failed, so that one run shows every problem.
 * @param {string[]} files of the tests, all without any
 * @param {{ full?: boolean, soak?: boolean, affected?: boolean }} options
 */
async function test(files, { full = false, soak = false, affected = false }) {
  // The registry of npm and the package manager of the system work at the same time.
  const [env, chromium] = await Promise.all([prepare(), provideServerAndBrowser()])
  env.SIGNET_TEST_CHROMIUM = chromium
  const missing = full ? await missingPrograms(env) : []
  if (full) env.SIGNET_TEST_PROGRAMS = OPTIONAL.filter((program) => !missing.includes(program)).join()
  if (full) env.SIGNET_TEST_SIZE = soak ? 'soak' : 'full'

  return withFolderForTests(
    env,
    async () => {
      const { code, counts } =
        files.length > 0 ? await testFiles(files, env) : await testAll(env, { soak, affected })
      for (const program of missing) say(`not run: the tests that need ${program}, which is not installed`)
      for (const failure of counts.failures) process.stdout.write(`failed: ${failure}\n`)
      process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
      return stopExitCode() ?? code
    },
    soak,
  )
}

/**
 * Removes the temporary folder of the tests after `work`.
 * @template T
 * @param {NodeJS.ProcessEnv} env
 * @param {() => Promise<T>} work
 */
async function withFolderForTests(env, work, soak = false) {
  const temporary = await mkdtemp(join(await folderForTests(env, soak), 'signet-'))
  env.TMPDIR = temporary
  try {
    // PostgreSQL runs as another user when this one is root.
    await chmod(temporary, 0o755)
    return await work()
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Installs what tests need besides packages, and returns the path of Chromium. */
async function provideServerAndBrowser() {
  const { SIGNET_TEST_REDIS_URL, SIGNET_TEST_CHROMIUM } = process.env
  if (!SIGNET_TEST_REDIS_URL) await provide(REQUIREMENTS.redis)
  return SIGNET_TEST_CHROMIUM || (await provide(REQUIREMENTS.chromium))
}

/** `npm run test:interop`: the quick starts and Keycloak, from their registries. @param {string[]} args */
async function testInterop(args) {
  const [env, chromium] = await Promise.all([prepare(), provideServerAndBrowser()])
  env.SIGNET_TEST_CHROMIUM = chromium
  return await runInterop(args, env)
}

/** @param {string[]} files @param {NodeJS.ProcessEnv} env */
async function testFiles(files, env) {
  const checked = await passesChecks(env)
  const report = join(`${env.TMPDIR}`, 'report.json')
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await run('vitest', ['run', ...options, ...files], {
    cwd: ROOT,
    env,
    ipc: true,
    output: 'inherit',
  })
  if (!checked) say('a check failed; see above')
  return { code: checked ? code : code || 1, counts: countReport(ROOT, relative(ROOT, report), code, 0) }
}

/**
 * The built services, which tests start, then the checks and all tests: three workspaces at a time, because most tests wait for
 * a database or another process. Tests that measure times have all cores, one workspace after the other.
 * @param {NodeJS.ProcessEnv} given
 * @param {{ soak: boolean, affected: boolean }} options
 */
async function testAll(given, { soak, affected }) {
  await rm(join(ROOT, '.turbo', 'runs'), { recursive: true, force: true })
  const env = { ...given, SIGNET_TEST_BUNDLES: '1' }
  // Soak tests read the history of the repository, which is not part of a hash.
  const options = [...TURBO_OPTIONS, ...(soak ? ['--force'] : []), ...(affected ? ['--affected'] : [])]
  const runs = [
    ['@signet/e2e#services', ...TURBO_OPTIONS, '--output-logs=errors-only'],
    [...CHECKS, 'test', 'test:scripts', '--concurrency=3', ...options],
    ['test:timed', '--concurrency=1', ...options],
  ]
  let code = 0
  for (const args of runs) {
    const command = ['packages/testing/src/run-on-servers.ts', 'turbo', 'run', ...args]
    code = (await run('node', command, { cwd: ROOT, env, ipc: true, output: 'inherit' })).code || code
  }
  const tasks = readRuns(ROOT).flatMap((run) => run.tasks)
  const cached = tasks.filter(({ cache }) => cache.status === 'HIT').length
  say(`${cached} of ${tasks.length} tasks were cached`)
  return { code, counts: countTests(ROOT, tasks, code) }
}

/** Installs the optional programs and returns those that are still missing. @param {NodeJS.ProcessEnv} env */
async function missingPrograms(env) {
  const missing = []
  for (const program of OPTIONAL) {
    try {
      if (program === 'node18') env.SIGNET_TEST_NODE_18 = await provideOldNode()
      else if (program === 'helm') await provideHelm(env)
      else await provide(REQUIREMENTS[program])
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      say(error.message)
      missing.push(program)
    }
  }
  return missing
}

const IN_MEMORY = '/dev/shm'
/** A run uses 400 MB of it at a time. */
const ROOM_BYTES = 2 * 2 ** 30

/**
 * Folder for the databases of the tests. They make and delete some hundred databases of a thousand files each, for which a
 * disk can need longer than the tests; soak tests have databases that do not fit into memory.
 * @param {NodeJS.ProcessEnv} env
 * @param {boolean} soak
 */
async function folderForTests(env, soak) {
  if (env.TMPDIR || soak || !existsSync(IN_MEMORY)) return tmpdir()
  // Tests start scripts that they wrote, which containers forbid in their shared memory.
  const mounted = /^\S+ \/dev\/shm tmpfs (?!\S*noexec)/m.test(readFileSync('/proc/mounts', 'utf8'))
  const { bavail, bsize } = await statfs(IN_MEMORY)
  return mounted && bavail * bsize >= ROOM_BYTES ? IN_MEMORY : tmpdir()
}

// Last, because the constants above are initialized only when the module has been evaluated up to here.
const [name = '', ...args] = process.argv.slice(2)
const command = COMMANDS[name]
if (command === undefined) {
  say(`"${name}" is not one of ${Object.keys(COMMANDS).join(', ')}`)
  process.exit(1)
}
stopChildrenWithThisProcess()
try {
  process.exitCode = await command(args)
} catch (error) {
  process.exitCode = stopExitCode() ?? 1
  if (stopExitCode() === undefined)
    say(error instanceof Problem ? error.message : error instanceof Error ? `${error.stack}` : String(error))
}
