import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@signet/testing/free-port'
import { HttpBrowser } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import { temporaryFolder } from '@signet/testing/temporary-folder'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const EXAMPLES = join(ROOT, 'examples')

/**
 * A part of a page of the documentation. `signet` runs in the checkout, the others in the folder of the application:
 * `install` once, `app` to its end, `start` until the test ends it. `open` is an
 * address for the browser, at which alice signs in. `file` is a file that the reader saves in that folder.
 */
interface Step {
  readonly kind: 'signet' | 'install' | 'app' | 'start' | 'open' | 'file'
  readonly text: string
  /** Path of the example that a `file` is. */
  readonly source?: string
}

const BLOCK =
  /^```(?:sh|text) (signet|install|app|start|open)\n([\s\S]*?)^```$|^<!-- code of (\S+) -->\n\n```\w*\n([\s\S]*?)^```$/gm

/** The blocks of a page that a reader carries out, in their order. Blocks without a label are only shown. */
async function readSteps(page: string): Promise<readonly Step[]> {
  const path = join(ROOT, 'docs', page)
  const steps = [...(await readFile(path, 'utf8')).matchAll(BLOCK)]
  return steps.map(([, label, text = '', file, code = '']) =>
    file === undefined
      ? { kind: label as Step['kind'], text }
      : { kind: 'file', text: code, source: resolve(dirname(path), file) },
  )
}

interface FollowOptions {
  /** Ports that the page names, which are replaced by free ones. */
  readonly ports?: readonly number[]
  /**
   * Whether it runs in a new folder, after the commands that install libraries; otherwise where the example is, with
   * its libraries.
   */
  readonly clean?: boolean
}

const STARTS_WITHIN_MS = 120_000

/** The suite with the sample of `npm start`, and the machine of a reader beside it. */
export async function startReader() {
  const signet = await startSystem({ mode: 'standalone', document: 'sample' })
  const home = await temporaryFolder('reader')
  const firstRun = join(signet.data.path, 'first-run.txt')
  const firstRunText = await readFile(firstRun, 'utf8')
  const [, alicePassword = ''] = /\balice +(\S+)/.exec(firstRunText) ?? []
  const [, administratorToken = ''] = /\badministrator (\S+)/.exec(firstRunText) ?? []
  const opened = join(home, 'opened')
  await mkdir(join(home, 'bin'))
  // `signet login` opens a browser with one of these.
  for (const opener of ['xdg-open', 'open']) {
    const path = join(home, 'bin', opener)
    await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${opened}'\n`)
    await chmod(path, 0o755)
  }
  const env = {
    ...process.env,
    PATH: [join(home, 'bin'), process.env.PATH].join(':'),
    XDG_CONFIG_HOME: home,
    SIGNET_ISSUER: signet.issuer,
    FIRST_RUN: firstRun,
    NODE_ENV: 'development',
  }

  /** Signs alice in at the address of an authorization request. Returns the address that the browser is sent to. */
  async function signIn(url: string): Promise<string> {
    const browser = new HttpBrowser(signet.issuer)
    const credentials = { login_name: 'alice', password: alicePassword }
    let answer = await browser.submit(await browser.open(url), credentials)
    // The command line is not first-party, so it asks for consent.
    if (answer.body.includes('id="consent-allow"'))
      answer = await browser.submit(answer, { decision: 'allow' })
    return answer.headers.get('location') ?? answer.body
  }

  /** Does it in the browser that `signet login` opened, if it did. */
  async function signInToCommandLine(): Promise<void> {
    const url = (await readFile(opened, 'utf8').catch(() => '')).trim()
    if (url === '') return
    await rm(opened)
    await fetch(await signIn(url))
  }

  async function toEnd(text: string, cwd: string, more: Readonly<Record<string, string>>): Promise<string> {
    const program = runShell(text, cwd, { ...env, ...more })
    while (program.code() === undefined) {
      await Promise.race([program.closed, pause(50)])
      await signInToCommandLine()
    }
    if (program.code() !== 0) throw new Error(`${text}\nended with ${program.code()}:\n${program.output()}`)
    return program.output()
  }

  /** Carries out the page from its first block to its last. */
  async function follow(page: string, options: FollowOptions = {}) {
    const steps = await readSteps(page)
    const ports = new Map(
      await Promise.all((options.ports ?? []).map(async (port) => [port, await freePort()] as const)),
    )
    const [first] = ports.values()
    const more = { ...(first !== undefined && { PORT: `${first}` }), VITE_SIGNET_ISSUER: signet.issuer }
    const printed: Record<string, string> = { 'the-administrator-token': administratorToken }
    /** The outputs of the blocks, in their order. */
    const outputs: string[] = []
    const programs: ReturnType<typeof runShell>[] = []
    const clean = options.clean === true ? await temporaryFolder('quick-start') : undefined
    const example = steps.find(({ source }) => source !== undefined)?.source
    const folder =
      clean ??
      (example === undefined ? home : join(EXAMPLES, relative(EXAMPLES, example).split('/')[0] ?? ''))
    const stop = async () => {
      await Promise.all(programs.map((program) => program.stop()))
      if (clean !== undefined) await rm(clean, { recursive: true, force: true })
    }

    function filledIn(text: string): string {
      let filled = text
        .replaceAll('http://localhost:8080', signet.issuer)
        .replaceAll('.data/', `${signet.data.path}/`)
      for (const [port, free] of ports) filled = filled.replaceAll(`${port}`, `${free}`)
      for (const [name, value] of Object.entries(printed)) filled = filled.replaceAll(name, value)
      return filled
    }

    /** The address that stands for one of the page. */
    const origin = (port: number) => `http://localhost:${ports.get(port) ?? port}`
    /** Keeps what the reader copies from an output. */
    function keep(output: string): void {
      outputs.push(output)
      for (const [name, pattern] of Object.entries(COPIED)) {
        const value = pattern.exec(output)?.[1]
        if (value !== undefined) printed[name] = value
      }
    }

    try {
      for (const { kind, text, source } of steps) {
        if (source !== undefined) {
          if (clean !== undefined) await save(text, source, clean)
        } else if (kind === 'open') {
          keep(await signIn(filledIn(text).trim()))
        } else if (kind === 'start') {
          const program = runShell(filledIn(text), folder, { ...env, ...more })
          programs.push(program)
          await program.answers(origin([...ports.keys()][0] ?? 0))
        } else if (kind !== 'install' || clean !== undefined) {
          keep(await toEnd(filledIn(text), kind === 'signet' ? ROOT : folder, more))
        }
      }
    } catch (error) {
      await stop()
      throw error
    }
    return { outputs, origin, stop }
  }

  return {
    issuer: signet.issuer,
    alicePassword,
    signIn,
    follow,
    async stop() {
      await signet.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

export type Reader = Awaited<ReturnType<typeof startReader>>

/** The texts of the pages that stand for a value, and where it was printed. */
const COPIED: Readonly<Record<string, RegExp>> = {
  'the-client-id': /^clientId +(\S+)$/m,
  'the-secret': /^clientSecret +(\S+)$/m,
  'the-application-id': /^id +(\S+)\nprojectId +\S+\nclientId /m,
  'the-user-id': /^id +(\S+)\norganizationId /m,
  'the-token': /^token +(\S+)$/m,
  'the-code': /[?&]code=([^&]+)/,
  'the-recipient': /^(age1\w+)$/m,
  'the-access-token': /"access_token":"([^"]+)"/,
}

/** Saves the code of a page under the path that the example has in its folder. */
async function save(code: string, source: string, folder: string): Promise<void> {
  const target = join(folder, relative(EXAMPLES, source).split('/').slice(1).join('/'))
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, code)
}

function runShell(text: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn('sh', ['-ec', text], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part
    })
  let code: number | null | undefined
  const closed = once(child, 'close').then(() => {
    code = child.exitCode
  })
  return {
    closed,
    code: () => code,
    output: () => output,
    /** Waits until the program answers at an address. */
    async answers(origin: string): Promise<void> {
      const giveUp = Date.now() + STARTS_WITHIN_MS
      while (code === undefined && Date.now() < giveUp) {
        const answer = await fetch(origin, { redirect: 'manual' }).catch(() => undefined)
        if (answer !== undefined) return
        await pause(100)
      }
      throw new Error(`${text}\ndoes not answer at ${origin}:\n${output}`)
    },
    /** The shell has started the program in its process group. */
    async stop(): Promise<void> {
      if (code === undefined && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      await closed
    },
  }
}
