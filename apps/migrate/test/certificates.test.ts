import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@signet/platform/config/settings-fields'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { DATABASE_ROLES } from '@signet/platform/postgres/roles'
import { type CertificateAuthority, createCertificateAuthority } from '@signet/testing/client-certificates'
import { writeBootstrapFile } from '@signet/testing/system/installation'
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from '@signet/testing/system/restartable-postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { prepareInstallation } from '../src/prepare-installation.ts'

// A PostgreSQL that takes certificates of an authority in place of passwords, as the README of the chart describes it.

const OWNER = 'signet_owner'
const MASTER_KEY = 'A'.repeat(43)

const opened = new AsyncDisposableStack()
let folder: string
let authority: CertificateAuthority
let server: RestartablePostgres
let superuser: Database

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signet-certificates-'))
  opened.defer(() => rm(folder, { recursive: true }))
  server = await startRestartablePostgres()
  opened.defer(() => server.stop())
  superuser = createPool({ url: server.url, applicationName: 'test', max: 1 })
  opened.defer(() => superuser.close())
  authority = await createCertificateAuthority('CN=Stores')
  await switchOnTls()
  await sql(`CREATE ROLE ${OWNER} LOGIN CREATEROLE`)
  await sql(`CREATE DATABASE signet OWNER ${OWNER}`)
}, 60_000)
afterAll(() => opened.disposeAsync())

async function switchOnTls(): Promise<void> {
  const cluster = await server.cluster()
  const own = await authority.issue({
    subject: 'CN=localhost',
    names: [{ type: 'dns', value: 'localhost' }],
  })
  const { uid, gid } = await stat(cluster)
  const files = { 'own.crt': own.cert, 'own.key': own.key, 'clients.crt': authority.cert }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(cluster, name), text, { mode: 0o600 })
    await chown(join(cluster, name), uid, gid)
  }
  await writeFile(
    join(cluster, 'pg_hba.conf'),
    'host all postgres 127.0.0.1/32 scram-sha-256\nhostssl all all 127.0.0.1/32 cert\n',
  )
  const settings = {
    ssl: 'on',
    ssl_cert_file: 'own.crt',
    ssl_key_file: 'own.key',
    ssl_ca_file: 'clients.crt',
  }
  for (const [name, value] of Object.entries(settings)) await sql(`ALTER SYSTEM SET ${name} = '${value}'`)
  await sql('SELECT pg_reload_conf()')
}

const sql = async (text: string) => (await superuser.query<Record<string, unknown>>({ name: '', text })).rows

/** The address of a role that presents a certificate with its name, and no password. */
async function urlOf(role: string): Promise<string> {
  const { cert, key } = await authority.issue({ subject: `CN=${role}` })
  const files = { sslcert: cert, sslkey: key, sslrootcert: authority.cert }
  const url = new URL(server.url.reveal())
  Object.assign(url, { hostname: 'localhost', username: role, password: '', pathname: '/signet' })
  url.searchParams.set('sslmode', 'verify-full')
  for (const [parameter, text] of Object.entries(files)) {
    const file = join(folder, `${role}-${parameter}.pem`)
    await writeFile(file, text)
    url.searchParams.set(parameter, file)
  }
  return url.href
}

const passwordsLeft = async () =>
  (
    await sql(
      `SELECT rolname FROM pg_authid WHERE rolname LIKE 'signet%' AND rolpassword IS NOT NULL ORDER BY 1`,
    )
  ).map(({ rolname }) => rolname)

it('takes the passwords of the roles away, and applies the bootstrap file by the certificate of the owner', async () => {
  const url = await urlOf(OWNER)
  const roles = DATABASE_ROLES.map((role) => role.replace('signet_', '').toUpperCase())
  const passwords = Object.fromEntries(roles.map((role) => [`SIGNET_POSTGRES_${role}_PASSWORD`, 'text']))
  await prepareInstallation({ SIGNET_POSTGRES_DIRECT_URL: url, SIGNET_LOG_LEVEL: 'silent', ...passwords })
  expect(await passwordsLeft()).toEqual(DATABASE_ROLES.toSorted())
  const file = await writeBootstrapFile({
    organizations: [{ id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' }],
  })
  opened.defer(() => file.remove())
  const env = {
    ...{ SIGNET_POSTGRES_DIRECT_URL: url, SIGNET_POSTGRES_ROLE_AUTHENTICATION: 'certificate' },
    ...{ SIGNET_BOOTSTRAP_FILE: file.path, SIGNET_DIRECTORY_MASTER_KEY: MASTER_KEY },
    SIGNET_LOG_LEVEL: 'silent',
  }
  await prepareInstallation(env)
  await prepareInstallation(env)
  expect(await passwordsLeft()).toEqual([])
  const pool = createPool({
    url: new Secret(await urlOf('signet_directory')),
    applicationName: 'test',
    max: 1,
  })
  opened.defer(() => pool.close())
  const { rows } = await pool.query({
    name: '',
    text: 'SELECT current_user::text AS role, organization_id AS id FROM directory_read.organization_v1',
  })
  expect(rows).toEqual([{ role: 'signet_directory', id: 'acme' }])
})

it('refuses passwords beside certificates', async () => {
  const env = {
    ...{
      SIGNET_POSTGRES_DIRECT_URL: server.url.reveal(),
      SIGNET_POSTGRES_ROLE_AUTHENTICATION: 'certificate',
    },
    SIGNET_POSTGRES_LOGIN_PASSWORD: 'text',
  }
  await expect(prepareInstallation(env)).rejects.toThrow(
    'SIGNET_POSTGRES_LOGIN_PASSWORD: is of no use with SIGNET_POSTGRES_ROLE_AUTHENTICATION=certificate',
  )
})
