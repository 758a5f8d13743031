// Makes the secrets of docker-compose.yml, each once: certificates by `signet certs init`, passwords, master keys. Each
// volume below /volumes gets what its service needs, readable for the service's user alone. Ends by telling what a person
// needs.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

const [issuer] = process.argv.slice(2)
const VOLUMES = '/volumes'
const BOOTSTRAP_FILE = '/bootstrap/bootstrap.yaml'
const SERVICES = ['login', 'token', 'introspection', 'keys', 'directory', 'migration', 'federation']
const WITH_MASTER_KEY = ['keys', 'directory', 'migration', 'login', 'federation']
/** The user of our images. */
const USER = 65532
/** The user that the Redis image changes to before the server reads its configuration. */
const REDIS_USER = 999
/** A directory of this name is the bucket. */
const BUCKET = 'exports'
const STORAGE_KEY = 'secret-access-key'
/** Note for the operator; makeSecrets writes it last, so the secrets exist when it does. */
const NOTE = join(VOLUMES, 'first-start', 'first-run.txt')

if (!existsSync(NOTE)) makeSecrets()
// These may have come to the suite after an installation was made.
if (!existsSync(join(VOLUMES, 'login', 'master-key'))) fill('login', USER, { 'master-key': secret() })
if (!existsSync(join(VOLUMES, 'migration', STORAGE_KEY))) makeStorage()
if (!existsSync(join(VOLUMES, 'federation', 'master-key'))) addFederation()
makeSample()
process.stdout.write(readFileSync(NOTE, 'utf8'))

function makeSecrets() {
  makeCertificates()
  const owner = secret()
  const redis = secret()
  const directoryKey = secret()
  const migrate = {
    'postgres-url': `postgres://postgres:${owner}@postgres:5432/signet`,
    'directory-master-key': directoryKey,
  }
  for (const service of SERVICES) {
    const own = secret()
    migrate[`${service}-password`] = own
    fill(service, USER, {
      'postgres-url': `postgres://signet_${service}:${own}@postgres:5432/signet`,
      'redis-url': `redis://:${redis}@redis:6379`,
      ...(WITH_MASTER_KEY.includes(service) && {
        'master-key': service === 'directory' ? directoryKey : secret(),
      }),
    })
  }
  fill('migrate', USER, migrate)
  fill('postgres', 0, { password: owner })
  fill('redis', REDIS_USER, {
    password: redis,
    'redis.conf': `include /etc/redis/signet.conf\nrequirepass ${redis}\n`,
  })
}

/** Makes the certificates of all services: the key of their authority is not kept. */
function makeCertificates() {
  const certificates = mkdtempSync('/tmp/certificates-')
  const certsInit = ['/signet/app/bundle/main.js', 'certs', 'init', '--out', join(certificates, 'all')]
  execFileSync(process.execPath, certsInit, { stdio: ['ignore', 'ignore', 'inherit'] })
  const certificate = (name) => readFileSync(join(certificates, 'all', name), 'utf8')
  for (const service of SERVICES) {
    fill(service, USER, {
      'ca.crt': certificate('ca.crt'),
      'tls.crt': certificate(`${service}.crt`),
      'tls.key': certificate(`${service}.key`),
    })
  }
}

/** The secrets of a service that came to the suite later; the others begin with their new certificates when they start. */
function addFederation() {
  makeCertificates()
  const own = secret()
  fill('migrate', USER, { 'federation-password': own })
  fill('federation', USER, {
    'postgres-url': `postgres://signet_federation:${own}@postgres:5432/signet`,
    'redis-url': readFileSync(join(VOLUMES, 'token', 'redis-url'), 'utf8'),
    'master-key': secret(),
  })
}

/** A bucket and the key to it, for the storage and then for the service that uses it. */
function makeStorage() {
  for (const folder of ['', BUCKET]) {
    const path = join(VOLUMES, 'objects', folder)
    mkdirSync(path, { recursive: true })
    chownSync(path, USER, USER)
  }
  const key = { [STORAGE_KEY]: secret() }
  fill('object-storage', USER, key)
  fill('migration', USER, key)
}

/** The secrets of the sample, those that are there already among them, and the note of them. */
function makeSample() {
  const file = join(VOLUMES, 'migrate', 'bootstrap.env')
  const sample = sampleSecrets(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {})
  const lines = sample.map(({ variable, value }) => `${variable}=${value}\n`)
  fill('migrate', USER, { 'bootstrap.env': lines.join('') })
  fill('first-start', 0, { 'first-run.txt': note(sample) })
}

function fill(volume, user, files) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(VOLUMES, volume, name)
    writeFileSync(path, content, { mode: 0o400 })
    chownSync(path, user, user)
  }
}

function secret() {
  return randomBytes(32).toString('base64url')
}

/** Short enough to type, with a character of every class that a policy may ask for. */
function password() {
  return `Try-${secret()
    .replaceAll(/[^a-zA-Z0-9]/g, '')
    .slice(0, 12)}-7`
}

/**
 * Makes a value for each `${SAMPLE_…}` of the bootstrap file: SAMPLE_ALICE_PASSWORD, SAMPLE_WEB_SECRET,
 * SAMPLE_ADMINISTRATOR_TOKEN.
 */
function sampleSecrets(known) {
  const names = readFileSync(BOOTSTRAP_FILE, 'utf8').matchAll(/\$\{(SAMPLE_(\w+)_(PASSWORD|SECRET|TOKEN))\}/g)
  return [...names].map(([, variable, owner, kind]) => ({
    variable,
    owner: owner.toLowerCase(),
    kind,
    value: known[variable] ?? (kind === 'PASSWORD' ? password() : secret()),
  }))
}

function note(sample) {
  const rows = (wanted) =>
    sample.filter(({ kind }) => kind === wanted).map(({ owner, value }) => `${owner.padEnd(9)} ${value}\n`)
  return `Signet on ${issuer}

user      password
${rows('PASSWORD').join('')}
client    secret
${rows('SECRET').join('')}
service user with IAM_OWNER, token
${rows('TOKEN').join('')}`
}
