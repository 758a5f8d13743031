import { generateKeyPairSync, sign } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

// The command line in a pod: the projected service account token is its only credential.

const CLUSTER = 'https://kubernetes.default.svc.cluster.local'
const SUBJECT = 'system:serviceaccount:signet:signet-command-line'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const JWKS = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] }

let fixture: CommandFixture
let tokenFile: string
beforeAll(async () => {
  fixture = await startCommandFixture()
  tokenFile = join(fixture.folder, 'token')
  const keySet = join(fixture.folder, 'jwks.json')
  await writeFile(keySet, JSON.stringify(JWKS))
  for (const line of [
    'service-user create --set id=operations --set userName=operations --set organizationId=home',
    'instance-member set operations --set roles=IAM_OWNER',
    `trust add kubernetes --user operations --issuer ${CLUSTER} --namespace signet --service-account signet-command-line --key-set ${keySet}`,
  ])
    expect(await fixture.signet(...line.split(' '))).toMatchObject({ code: 0 })
})
afterAll(() => fixture?.close())

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Writes the token that the kubelet projects. */
function project(sub = SUBJECT): Promise<void> {
  const iat = Math.floor(fixture.system.clock.now().getTime() / 1000)
  const claims = { iss: CLUSTER, sub, aud: [fixture.system.issuer], iat, exp: iat + 3_600 }
  const signed = `${encoded({ alg: 'ES256', kid: 'k1' })}.${encoded(claims)}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
  return writeFile(tokenFile, `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`)
}

const inPod = (line: string) =>
  fixture.signetWith(
    {
      env: {
        SIGNET_ISSUER: fixture.system.issuer,
        SIGNET_WORKLOAD_TOKEN_FILE: tokenFile,
        SIGNET_WORKLOAD_USER: 'operations',
      },
    },
    ...line.split(' '),
  )

it('administers with the token of its pod', async () => {
  await project()
  expect(await inPod('whoami --output json')).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse((await inPod('whoami --output json')).out)).toMatchObject({ userId: 'operations' })
  expect(await inPod('project create --set name=Made --set organizationId=home')).toMatchObject({
    code: 0,
    err: '',
  })
})

it('says why the token of another service account is refused', async () => {
  await project('system:serviceaccount:signet:default')
  const { code, err } = await inPod('whoami')
  expect(code).toBe(3)
  expect(err).toContain('sub differ from the rules of the trusted issuer')
})

it('says which file is missing', async () => {
  await rm(tokenFile, { force: true })
  const { code, err } = await inPod('whoami')
  expect(code).not.toBe(0)
  expect(err).toContain('SIGNET_WORKLOAD_TOKEN: cannot read the file that SIGNET_WORKLOAD_TOKEN_FILE names')
})

it('keeps no organization', async () => {
  const { code, err } = await inPod('use home')
  expect(code).not.toBe(0)
  expect(err).toContain('there is no stored login in use')
})
