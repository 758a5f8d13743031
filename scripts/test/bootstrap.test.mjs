import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { withLock } from '../bootstrap.mjs'
import { findProgram, provide } from '../system-packages.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

const SCRIPTS = fileURLToPath(new URL('..', import.meta.url))
const root = JSON.parse(readFileSync(join(SCRIPTS, '..', 'package.json'), 'utf8'))

describe('the pinned programs', () => {
  it('have an integrity for every package of Linux', () => {
    const source = readFileSync(join(SCRIPTS, 'bootstrap.mjs'), 'utf8')
    const pnpm = root.packageManager.split('@')[1]
    for (const arch of ['x64', 'arm64']) {
      expect(source).toMatch(new RegExp(`'@pnpm/exe.linux-${arch}@${pnpm}':\\s+'sha512-.{86}=='`))
      expect(source).toMatch(new RegExp(`'node-linux-${arch}@24[.\\d]+':\\s+'sha512-.{86}=='`))
    }
  })
})

/** A clone with the scripts, and an npm that "installs" a pnpm that "installs" a turbo. */
function clone() {
  const [, integrity] =
    /exe\.linux-x64@.*\n\s+'(.*)'/.exec(readFileSync(join(SCRIPTS, 'bootstrap.mjs'), 'utf8')) ?? []
  const folder = temporaryFolder({
    'package.json': JSON.stringify({ type: 'module', packageManager: root.packageManager }),
    'prepare.mjs': "import { prepare } from './scripts/bootstrap.mjs'\nconsole.log((await prepare()).PATH)\n",
    'bin/npm': `#!/bin/sh
for package; do :; done
name=\${package%@*}
mkdir -p "node_modules/$name/bin"
printf '{"packages":{"node_modules/%s":{"integrity":"%s"}}}' "$name" "\${INTEGRITY:-${integrity}}" > package-lock.json
for program in pnpm bin/node; do cp "$CLONE/bin/fake-$(basename $program)" "node_modules/$name/$program"; done
[ -z "$KILLED" ] || kill -KILL $PPID
`,
    'bin/fake-node': '#!/bin/sh\nexit 0\n',
    'bin/fake-pnpm': `#!/bin/sh
[ "$1" = install ] || exit 0
mkdir -p node_modules/.bin && cp "$CLONE/bin/fake-turbo" node_modules/.bin/turbo
`,
    'bin/fake-turbo': '#!/bin/sh\necho generated > "$CLONE/generated"\n',
  })
  for (const file of ['bootstrap.mjs', 'processes.mjs'])
    cpSync(join(SCRIPTS, file), join(folder, 'scripts', file))
  const env = { ...process.env, CLONE: folder, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
  return { folder, args: [join(folder, 'prepare.mjs')], env }
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('prepare', () => {
  it('fetches the programs, installs and generates in a clean clone', () => {
    const { folder, args, env } = clone()
    const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    expect(stderr).toContain(`signet: fetching @pnpm/exe.linux-x64@`)
    expect(stdout).toContain(join(folder, '.tools', `pnpm-${root.packageManager.split('@')[1]}`, 'bin'))
    expect(readFileSync(join(folder, 'generated'), 'utf8')).toBe('generated\n')
  })

  it('completes an installation that was killed', async () => {
    const { folder, args, env } = clone()
    const killed = spawnSync(process.execPath, args, { env: { ...env, KILLED: 'yes' } })
    expect([killed.signal, existsSync(join(folder, '.tools/unfinished'))]).toEqual(['SIGKILL', true])
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(join(folder, '.tools/prepare.lock'), longAgo, longAgo)
    expect(spawnSync(process.execPath, args, { env }).status).toBe(0)
    expect(existsSync(join(folder, 'generated'))).toBe(true)
    expect(readdirSync(join(folder, '.tools'))).not.toContain('unfinished')
  })

  it('of the command line runs again only when the lock file or a source of generated code has changed', () => {
    const { folder, env } = clone()
    const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'apps/directory/openapi.json', 'proto/a/b.proto']
    for (const file of [...files, 'apps/cli/scripts/generate-client.mjs', 'node_modules/.modules.yaml']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), '')
    }
    const script = join(folder, 'signet.mjs')
    writeFileSync(
      script,
      "import { prepareCommandLine } from './scripts/bootstrap.mjs'\nawait prepareCommandLine()\n",
    )
    const generates = () => {
      rmSync(join(folder, 'generated'), { force: true })
      expect(spawnSync(process.execPath, [script], { env }).status).toBe(0)
      return existsSync(join(folder, 'generated'))
    }
    expect([generates(), generates()]).toEqual([true, false])
    for (const file of files) {
      writeFileSync(join(folder, file), 'changed')
      expect([file, generates(), generates()]).toEqual([file, true, false])
    }
    rmSync(join(folder, 'node_modules'), { recursive: true })
    expect(generates()).toBe(true)
  })

  it('refuses a package with another integrity, and does not keep it', () => {
    const { folder, args, env } = clone()
    const { status, stderr } = spawnSync(process.execPath, args, {
      env: { ...env, INTEGRITY: 'sha512-other' },
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('is not the package that bootstrap.mjs expects'),
    ])
    expect(readdirSync(join(folder, '.tools', `pnpm-${root.packageManager.split('@')[1]}`))).toEqual([])
  })
})

describe('withLock', () => {
  it('runs one command at a time', async () => {
    const file = join(temporaryFolder(), 'prepare.lock')
    let inside = 0
    let most = 0
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
    }
    await Promise.all(Array.from({ length: 4 }, () => withLock(file, work)))
    expect(most).toBe(1)
  })

  it('takes the lock of a command that was killed', async () => {
    const file = join(temporaryFolder({ 'prepare.lock': '1\n' }), 'prepare.lock')
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(file, longAgo, longAgo)
    await expect(withLock(file, async () => 'done')).resolves.toBe('done')
  })
})

describe('provide', () => {
  const UPDATE = 'update'
  const INSTALL = 'install --yes --no-install-recommends -o DPkg::Lock::Timeout=600'

  /** A system whose apt-get logs its arguments and installs only the second package. @param {boolean} asRoot */
  function system(asRoot) {
    const bin = temporaryFolder({
      'apt-get': `#!/bin/sh
echo "$@" >> "$0.log"
case "$*" in
  update) [ ! -f "$0.locked" ] || { /bin/rm "$0.locked"; echo "E: Could not get lock" >&2; exit 100; } ;;
  *valkey*) printf '#!/bin/sh\\n' > "$(/usr/bin/dirname "$0")/valkey-server"; /bin/chmod +x "$(/usr/bin/dirname "$0")/valkey-server" ;;
esac
`,
    })
    const requirement = {
      name: 'a Redis server',
      programs: ['redis-server', 'valkey-server'],
      packages: { 'apt-get': ['redis-server', 'valkey-server'] },
      otherwise: 'or set SIGNET_REDIS_URL',
    }
    const env = { PATH: bin }
    return {
      bin,
      provided: () => provide(requirement, { env, asRoot }),
      found: () => findProgram(requirement, env),
      log: () => (existsSync(join(bin, 'apt-get.log')) ? readFileSync(join(bin, 'apt-get.log'), 'utf8') : ''),
    }
  }

  it('installs as root, with the other package when the first does not contain the program', async () => {
    const { bin, provided, log } = system(true)
    expect(await provided()).toBe(join(bin, 'valkey-server'))
    expect(log()).toBe(`${UPDATE}\n${INSTALL} redis-server\n${INSTALL} valkey-server\n`)
  })

  it('waits while another apt-get holds the lock of the package lists', async () => {
    const { bin, provided, log } = system(true)
    writeFileSync(join(bin, 'apt-get.locked'), '')
    await provided()
    expect(log().startsWith(`${UPDATE}\n${UPDATE}\n${INSTALL}`)).toBe(true)
  })

  it('prints the command of this system to other users and runs nothing', async () => {
    const { provided, found, log } = system(false)
    await expect(provided()).rejects.toThrow(
      `a Redis server is missing; run: sudo apt-get ${INSTALL} redis-server   (or set SIGNET_REDIS_URL)`,
    )
    expect([found(), log()]).toEqual([undefined, ''])
  })
})
