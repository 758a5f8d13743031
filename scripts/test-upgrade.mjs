// @ts-check
// `npm run test:upgrade`: upgrades the last release to this checkout while requests are sent, with real processes.
import { prepare, ROOT } from './bootstrap.mjs'
import { Problem, run, runOrFail, say } from './processes.mjs'
import { provide, REQUIREMENTS } from './system-packages.mjs'

/** @param {string[]} args `--from COMMIT` instead of the newest release */
export async function testUpgrade(args) {
  const from = await previousVersion(args, ROOT)
  const env = { ...(await prepare()), SIGNET_TEST_PREVIOUS: from }
  await provide(REQUIREMENTS.redis)
  const options = ['--project', 'tests', 'e2e/test/previous-version.upgrade.ts']
  return (await run('vitest', ['run', ...options], { cwd: ROOT, env, ipc: true, output: 'inherit' })).code
}

/**
 * The commit that `--from` names, else the newest release tag of the history of HEAD, else the last commit before the newest
 * migration of a database. Throws a Problem when there is none.
 * @param {string[]} args
 * @param {string} root
 */
export async function previousVersion(args, root) {
  const [flag, wanted, ...rest] = args
  if (rest.length > 0 || (flag !== undefined && (flag !== '--from' || !wanted)))
    throw new Problem(`test:upgrade knows --from COMMIT alone, not ${args.join(' ')}`)
  const git = (/** @type {string[]} */ ...command) =>
    runOrFail('git', command, { cwd: root, output: 'capture' })
  if (wanted) return (await git('rev-parse', '--verify', `${wanted}^{commit}`)).trim()
  const tags = await git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname')
  // Git sorts a pre-release above its release.
  const [newest] = tags.split('\n').filter((tag) => tag !== '' && !tag.includes('-'))
  if (newest !== undefined) return newest
  const migrations = ['apps/*/migrations/*.sql', 'packages/*/migrations/*.sql']
  const [migration, before] = (
    await git('log', '-1', '--diff-filter=A', '--format=%H %P', '--', ...migrations)
  )
    .trim()
    .split(' ')
  if (!migration || !before)
    throw new Problem(
      'nothing to upgrade from: no tag v… leads to HEAD, and no migration was added; name a commit with --from COMMIT',
    )
  say(`no tag v… leads to HEAD: upgrading from ${before}, the last commit before the newest migration`)
  return before
}
