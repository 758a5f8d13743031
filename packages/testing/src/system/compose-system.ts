import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { HttpBrowser } from '../http-browser.ts'

const execute = promisify(execFile)
const REDIRECT_URI = 'http://localhost:3000/callback'

/** The running services of docker-compose.yml. */
export class ComposeSystem {
  readonly issuer: string
  readonly #command: readonly string[]
  readonly #secrets: ReadonlyMap<string, string>

  private constructor(issuer: string, command: readonly string[], secrets: ReadonlyMap<string, string>) {
    this.issuer = issuer
    this.#command = command
    this.#secrets = secrets
  }

  /** `command` is `docker compose` with the name of the project. */
  static async connect(issuer: string, command: readonly string[]): Promise<ComposeSystem> {
    const note = await compose(command, 'run', '--rm', 'first-start')
    const rows = note.split('\n').map((line) => line.trim().split(/\s+/))
    return new ComposeSystem(issuer, command, new Map(rows.map(([name = '', secret = '']) => [name, secret])))
  }

  compose(...args: readonly string[]): Promise<string> {
    return compose(this.#command, ...args)
  }

  secretOf(name: string): string {
    const secret = this.#secrets.get(name)
    if (secret === undefined) throw new Error(`the first start made nothing for ${name}`)
    return secret
  }

  /** Runs the image of the command in the network of the edge, as the administrator; answers what it writes. */
  async signet(...args: readonly string[]): Promise<string> {
    const edge = (await this.compose('ps', '--quiet', 'edge')).trim()
    const image = `signet/cli:${process.env.SIGNET_VERSION}`
    const settings = { SIGNET_ISSUER: 'http://localhost:8080', SIGNET_TOKEN: this.secretOf('administrator') }
    const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const run = ['run', '--rm', '--read-only', '--network', `container:${edge}`, ...env, image, ...args]
    return (await execute('docker', run)).stdout
  }

  /** Calls an API as the administrator; answers the body of a 2xx, and throws on anything else. */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.issuer}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.secretOf('administrator')}`,
        'content-type': 'application/json',
      },
      signal: AbortSignal.timeout(30_000),
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** Starts an export or import and answers the job when it has ended. */
  async job(
    path: string,
    body: object,
  ): Promise<{ readonly state: string; readonly [member: string]: unknown }> {
    const { id } = (await this.call('POST', path, body)) as { id: string }
    for (;;) {
      const job = (await this.call('GET', `/admin/v1/jobs/${id}`)) as { state: string }
      if (job.state !== 'queued' && job.state !== 'running') return job
      await setTimeout(200)
    }
  }

  /** Signs a user of the sample in with a browser of its own and returns an access token for the client `web`. */
  async accessToken(user = 'alice'): Promise<string> {
    const query = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
    const browser = new HttpBrowser(this.issuer)
    const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(query)}`)
    const answer = await browser.submit(page, { login_name: user, password: this.secretOf(user) })
    const location = answer.headers.get('location') ?? ''
    const code = URL.canParse(location) ? new URL(location).searchParams.get('code') : null
    if (code === null) throw new Error(`no code, but ${answer.status}:\n${answer.body}`)
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
    const { status, text } = await this.#post('/oauth/v2/token', form)
    if (status !== 200) throw new Error(`no token, but ${status}: ${text}`)
    return (JSON.parse(text) as { access_token: string }).access_token
  }

  /** Whether the token is active; undefined when no answer says. */
  async isActive(token: string): Promise<boolean | undefined> {
    const { status, text } = await this.#post('/oauth/v2/introspect', { token }).catch(() => ({
      status: 0,
      text: '',
    }))
    return status === 200 ? (JSON.parse(text) as { active: boolean }).active : undefined
  }

  async #post(path: string, form: Readonly<Record<string, string>>) {
    const basic = Buffer.from(`web:${this.secretOf('web')}`).toString('base64')
    const response = await fetch(`${this.issuer}${path}`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(30_000),
    })
    return { status: response.status, text: await response.text() }
  }
}

async function compose(
  [program = '', ...first]: readonly string[],
  ...args: readonly string[]
): Promise<string> {
  const { stdout } = await execute(program, [...first, ...args], { maxBuffer: 16 * 1024 * 1024 })
  return stdout
}
