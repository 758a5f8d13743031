// `npm test` and `npm run check`: every check, each reported, the tests last.
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findChromium, prepareBrowser } from './browser.mjs'
import { prepareHelm } from './helm.mjs'
import { preparePgbouncer } from './pgbouncer.mjs'
import { ROOT, say, TOOLS } from './project.mjs'
import { preparePromtool } from './promtool.mjs'
import { prepareRedis } from './redis.mjs'
import { run, stopExitCode } from './supervise.mjs'
import { folderForTests } from './test-folder.mjs'
import { closingLine, countTests } from './test-report.mjs'
import { prepareTools } from './tools.mjs'
import { generateCode, installDependencies } from './workspace.mjs'

const POLL_MS = 1_000
// The global tear-down takes a few seconds.
const END_DEADLINE_MS = 60_000
const CHECKS = ['typecheck', 'lint', 'lint:proto', 'boundaries', 'unused', 'prose', 'lint:commits']

/** Everything but the tests. */
export async function check() {
  const { env } = await prepare()
  return (await passesChecks(env)) ? 0 : 1
}

/**
 * @param {'small' | 'soak'} size
 * @param {string[]} args for vitest, as paths of the test files to run
 */
export async function test(size, args) {
  const { env } = await prepare()
  if (!process.env.SIGNET_TEST_REDIS_URL) await prepareRedis()
  await prepareBrowser()
  await preparePgbouncer()
  await prepareHelm()
  await preparePromtool()
  // Tests run although a check failed: one run tells everything.
  const checked = await passesChecks(env)
  const counts = await runTests(env, size, args)
  const ran = counts.passed + counts.failed > 0
  if (!checked) say('a check failed; see above')
  if (!ran) say('no test was run')
  process.stdout.write(`${closingLine(counts)}\n`)
  return stopExitCode() ?? (checked && ran && counts.failed === 0 ? 0 : 1)
}

async function prepare() {
  const tools = await prepareTools()
  await installDependencies(tools)
  await generateCode(tools.env)
  return tools
}

/** @param {NodeJS.ProcessEnv} env */
async function passesChecks(env) {
  const args = [
    'run',
    ...CHECKS,
    '--continue',
    '--concurrency=2',
    '--env-mode=loose',
    '--output-logs=errors-only',
  ]
  const { code } = await run('turbo', args, { cwd: ROOT, env })
  return code === 0
}

/** @param {NodeJS.ProcessEnv} env @param {'small' | 'soak'} size @param {string[]} args */
async function runTests(env, size, args) {
  const report = join(TOOLS, 'test-reports', `${process.pid}.json`)
  await mkdir(join(TOOLS, 'test-reports'), { recursive: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const temporary = await mkdtemp(join(await folderForTests(env, size), 'signet-'))
  // PostgreSQL runs as another user when this one is root.
  await chmod(temporary, 0o755)
  const { kill, dispose } = killAfter(report)
  const { code } = await run('vitest', ['run', ...reporters, ...args], {
    cwd: ROOT,
    env: {
      ...env,
      TMPDIR: temporary,
      SIGNET_TEST_SIZE: size,
      SIGNET_TEST_CHROMIUM: findChromium(process.env),
      NODE_COMPILE_CACHE: join(TOOLS, 'compile-cache'),
    },
    leash: true,
    kill,
    output: 'inherit',
  })
  dispose()
  const counts = await countTests(report, code)
  for (const path of [report, temporary]) await rm(path, { recursive: true, force: true })
  return counts
}

/**
 * Vitest waits for ever for a process that a test started and forgot, so its end is forced some time after the
 * report. That counts as a failure.
 * @param {string} report
 */
function killAfter(report) {
  const controller = new AbortController()
  let waitedMs = 0
  const timer = setInterval(() => {
    if (existsSync(report)) waitedMs += POLL_MS
    if (waitedMs <= END_DEADLINE_MS || controller.signal.aborted) return
    say('a test left a process behind that keeps vitest from ending')
    controller.abort()
  }, POLL_MS)
  return { kill: controller.signal, dispose: () => clearInterval(timer) }
}
