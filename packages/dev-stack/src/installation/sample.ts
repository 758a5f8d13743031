import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '@signet/platform/config/settings'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import type { Installation } from './installation.ts'

/** The file that fills an installation which names none of its own. */
export const SAMPLE_FILE = new URL('../../sample-bootstrap.yaml', import.meta.url)

/** The applications of `examples/` that have a client of the sample, with the commands that start them. */
export const SAMPLE_APPLICATIONS = [
  { name: 'Portal web', url: 'http://localhost:3000', command: 'WEB_SECRET=the-secret npm run example' },
  { name: 'Portal in the browser', url: 'http://localhost:5173', command: 'npm run example:spa' },
  {
    name: 'Portal with Passport',
    url: 'http://localhost:3001',
    command: 'PASSPORT_SECRET=the-secret npm run example:passport',
  },
  {
    name: 'Portal with Auth.js',
    url: 'http://localhost:3002',
    command: 'AUTHJS_SECRET=the-secret npm run example:authjs',
  },
]

/** Throws ConfigurationError when an installation that others reach would be filled with the sample. */
export function requireOwnBootstrap(issuer: string, bootstrapFile: string | undefined): void {
  if (bootstrapFile !== undefined || isLoopbackHost(new URL(issuer).hostname)) return
  throw new ConfigurationError([
    `SIGNET_BOOTSTRAP_FILE: is required for the issuer ${issuer}; the shipped sample is for loopback issuers only`,
  ])
}

/** The secrets of the sample: made for this installation, the same at every start. */
export interface SampleSecrets {
  readonly alicePassword: string
  readonly bobPassword: string
  readonly administratorToken: string
  readonly webSecret: string
  readonly passportSecret: string
  readonly authjsSecret: string
  readonly apiSecret: string
}

export function sampleSecrets({ secretFor }: Pick<Installation, 'secretFor'>): SampleSecrets {
  return {
    alicePassword: password(secretFor('sample alice')),
    bobPassword: password(secretFor('sample bob')),
    administratorToken: secretFor('sample administrator'),
    webSecret: secretFor('sample web'),
    passportSecret: secretFor('sample passport'),
    authjsSecret: secretFor('sample authjs'),
    apiSecret: secretFor('sample api'),
  }
}

/** The issuer of the sample file, at which its console is. */
const SAMPLE_ISSUER = 'http://localhost:8080'

/** Writes the sample for this issuer into the data directory, and returns its path. */
export async function writeSample(issuer: string, dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, 'sample-bootstrap.yaml')
  const text = await readFile(SAMPLE_FILE, 'utf8')
  await writeFile(file, text.replaceAll(SAMPLE_ISSUER, issuer))
  return file
}

/** The names under which the sample file asks for its secrets. */
export function sampleEnvironment(secrets: SampleSecrets): Readonly<Record<string, string>> {
  return {
    SAMPLE_ALICE_PASSWORD: secrets.alicePassword,
    SAMPLE_BOB_PASSWORD: secrets.bobPassword,
    SAMPLE_ADMINISTRATOR_TOKEN: secrets.administratorToken,
    SAMPLE_WEB_SECRET: secrets.webSecret,
    SAMPLE_PASSPORT_SECRET: secrets.passportSecret,
    SAMPLE_AUTHJS_SECRET: secrets.authjsSecret,
    SAMPLE_API_SECRET: secrets.apiSecret,
  }
}

/** Short enough to type: 12 letters and digits, with a character of every class that a policy may ask for. */
function password(secret: string): string {
  return `Try-${secret.replaceAll(/[^a-zA-Z0-9]/g, '').slice(0, 12)}-7`
}
