import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findProgram, installOrExplain } from '../system-packages.mjs'
import { toolFolder, withLock } from '../tool-folder.mjs'
import { verifyIntegrity } from '../tools.mjs'
import { temporaryFolder, writeFiles } from './fixtures/repository.mjs'

/** @param {string} path */
const repositoryFile = (path) =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')

describe('the pinned tools', () => {
  it('are the pnpm that package.json names, and every program has its integrity on Linux', () => {
    const { node, pnpm } = JSON.parse(repositoryFile('packages/toolchain/tool-versions.json'))
    expect(`pnpm@${pnpm.version}`).toBe(JSON.parse(repositoryFile('package.json')).packageManager)
    for (const platform of ['linux-x64', 'linux-arm64']) {
      for (const tool of [node, pnpm]) expect(tool.platforms[platform].integrity).toMatch(/^sha512-.{86}==$/)
    }
  })

  it('are refused when a byte differs', async () => {
    const file = join(temporaryFolder('integrity'), 'archive.tgz')
    writeFileSync(file, 'good')
    const pinned = `sha512-${createHash('sha512').update('good').digest('base64')}`
    await expect(verifyIntegrity(file, pinned, 'tool@1')).resolves.toBeUndefined()
    writeFileSync(file, 'gooD')
    await expect(verifyIntegrity(file, pinned, 'tool@1')).rejects.toThrow(/tool@1 is not what tool-versions/)
  })
})

describe('toolFolder', () => {
  it('gives two commands at once one complete folder and leaves nothing aside', async () => {
    const tools = temporaryFolder('tools')
    const fill = async (/** @type {string} */ folder) => {
      writeFileSync(join(folder, 'first'), '')
      await new Promise((resolve) => setImmediate(resolve))
      writeFileSync(join(folder, 'second'), '')
    }
    const folders = await Promise.all([toolFolder('node-1', fill, tools), toolFolder('node-1', fill, tools)])
    expect(folders).toEqual([join(tools, 'node-1'), join(tools, 'node-1')])
    expect(readdirSync(join(tools, 'node-1')).sort()).toEqual(['first', 'second'])
    expect(readdirSync(join(tools, 'unfinished'))).toEqual([])
  })

  it('leaves nothing that looks complete when filling fails', async () => {
    const tools = temporaryFolder('tools')
    const failing = () => Promise.reject(new Error('no network'))
    await expect(toolFolder('node-1', failing, tools)).rejects.toThrow('no network')
    expect(existsSync(join(tools, 'node-1'))).toBe(false)
  })
})

describe('withLock', () => {
  it('lets one at a time work, and the next when the first is done', async () => {
    const tools = temporaryFolder('lock')
    let inside = 0
    let most = 0
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
    }
    await Promise.all(Array.from({ length: 4 }, () => withLock('install', work, () => {}, tools)))
    expect(most).toBe(1)
  })

  it('overrules a holder that was killed', async () => {
    const tools = temporaryFolder('lock')
    writeFileSync(join(tools, 'install.lock'), '1\n')
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(join(tools, 'install.lock'), longAgo, longAgo)
    await expect(
      withLock(
        'install',
        async () => 'done',
        () => {},
        tools,
      ),
    ).resolves.toBe('done')
  })
})

describe('installOrExplain', () => {
  /** A system whose apt-get writes down what it is asked and installs only the second package. @param {boolean} asRoot */
  function system(asRoot) {
    const bin = temporaryFolder('system')
    writeFiles(bin, {})
    writeFileSync(
      join(bin, 'apt-get'),
      `#!/bin/sh\necho "$@" >> "${bin}/asked"\ncase "$*" in *valkey*) printf '#!/bin/sh\\n' > "${bin}/valkey-server"; /bin/chmod +x "${bin}/valkey-server";; esac\n`,
      { mode: 0o755 },
    )
    const env = { PATH: bin }
    const requirement = {
      what: 'a Redis server',
      installed: () => findProgram(['redis-server', 'valkey-server'], env) !== undefined,
      packages: {
        'apt-get': [['redis-server'], ['valkey-server']],
        dnf: [],
        apk: [],
        pacman: [],
        zypper: [],
        brew: [],
      },
      otherwise: 'or set SIGNET_REDIS_URL',
    }
    return { install: () => installOrExplain(requirement, { env, asRoot }), asked: join(bin, 'asked') }
  }

  it('installs as root, and tries the other package when the first brings no program', async () => {
    const { install, asked } = system(true)
    await install()
    const install_ = 'install --yes --no-install-recommends'
    expect(readFileSync(asked, 'utf8')).toBe(`update\n${install_} redis-server\n${install_} valkey-server\n`)
  })

  it('names the command of this system to everybody else, in one line, and runs nothing', async () => {
    const { install, asked } = system(false)
    await expect(install()).rejects.toThrow(
      /^a Redis server is missing; run: sudo apt-get install --yes --no-install-recommends redis-server {3}\(or set SIGNET_REDIS_URL\)$/,
    )
    expect(existsSync(asked)).toBe(false)
  })
})
