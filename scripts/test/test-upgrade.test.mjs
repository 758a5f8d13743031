import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { previousVersion } from '../test-upgrade.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

/** A repository with three commits, and tags on the first two. @param {...string} tags */
function repository(...tags) {
  const folder = temporaryFolder()
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.com', ...args], { cwd: folder })
  git('init', '--quiet')
  for (let index = 0; index < 3; index += 1) {
    git('commit', '--quiet', '--allow-empty', '--message', `commit ${index}`)
    if (tags[index]) git('tag', `${tags[index]}`)
  }
  return { folder, git, head: String(git('rev-parse', 'HEAD')).trim() }
}

describe('the version that test:upgrade starts from', () => {
  it('is the newest release, by its number', async () => {
    expect(await previousVersion([], repository('v0.9.0', 'v0.10.0').folder)).toBe('v0.10.0')
  })

  it('is the commit that --from names', async () => {
    const { folder, head } = repository('v0.9.0')
    expect(await previousVersion(['--from', 'HEAD'], folder)).toBe(head)
    await expect(previousVersion(['--from', 'nowhere'], folder)).rejects.toThrow('nowhere')
  })

  it('is the last commit before the newest migration when there is no release', async () => {
    const { folder, head, git } = repository()
    mkdirSync(join(folder, 'apps/token/migrations'), { recursive: true })
    writeFileSync(join(folder, 'apps/token/migrations/0001_first.sql'), 'SELECT 1')
    git('add', '.')
    git('commit', '--quiet', '--message', 'a migration')
    git('commit', '--quiet', '--allow-empty', '--message', 'later')
    expect(await previousVersion([], folder)).toBe(head)
  })

  it('is refused when there is neither a release nor a migration, and so are other arguments', async () => {
    const { folder } = repository()
    await expect(previousVersion([], folder)).rejects.toThrow('no migration was added; name a commit')
    await expect(previousVersion(['--from'], folder)).rejects.toThrow('--from COMMIT')
    await expect(previousVersion(['HEAD'], folder)).rejects.toThrow('--from COMMIT')
  })
})
