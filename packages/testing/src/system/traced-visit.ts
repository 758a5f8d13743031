import { randomBytes } from 'node:crypto'
import type { ServiceName } from '@signet/platform/process/service'
import type { ExportedSpan } from './exported-spans.ts'
import type { Suite } from './suite.ts'

/** `visitTraced` leads through these, each below the one before. */
const HOPS: readonly (readonly `${ServiceName} ${string}`[])[] = [
  ['login server POST /ui/login', 'login client GET'],
  [
    'login server POST /ui/login',
    'login client signet.directory.v1.CredentialService/FindAttemptKey',
    'directory server signet.directory.v1.CredentialService/FindAttemptKey',
    'directory client credential.attempt_limit',
  ],
  [
    'login server POST /ui/login',
    'login client signet.directory.v1.CredentialService/VerifyPassword',
    'directory server signet.directory.v1.CredentialService/VerifyPassword',
    'directory client credential.candidates',
  ],
  [
    'login server GET /oauth/v2/authorize',
    'login client signet.token.v1.AuthorizationService/IssueCode',
    'token server signet.token.v1.AuthorizationService/IssueCode',
  ],
  ['token server POST /oauth/v2/token', 'token client transaction', 'token client code_redemption.insert'],
  [
    'token server POST /oauth/v2/revoke',
    'token client transaction',
    // Without the partition that its statement names.
    'token client revocation.record',
  ],
  ['introspection server POST /oauth/v2/introspect', 'introspection client XRANGE'],
  [
    'migration server POST /admin/v1/export',
    'migration client signet.token.v1.BearerService/Authenticate',
    'token server signet.token.v1.BearerService/Authenticate',
    'token client personal_access_token.find',
  ],
  ['migration server POST /admin/v1/export', 'migration producer send jobs', 'migration client EVALSHA'],
  [
    'migration server POST /admin/v1/export',
    'migration producer send jobs',
    'migration consumer process jobs',
    'migration client signet.directory.v1.TransferService/Export',
    'directory server signet.directory.v1.TransferService/Export',
    'directory client transaction',
    'directory client transfer.export.plan',
  ],
]

/** The hops as paths of spans, with what the spans call each service. */
export function hopsOf(named: (service: string) => string): string[] {
  return HOPS.map((hops) => hops.map((hop) => hop.replace(/^\w+/, named)).join(' > '))
}

/** Whether introspection has begun to follow the log of revocations; asks it about a token, so that it may. */
export async function followsLog(suite: Suite, spans: () => readonly ExportedSpan[]): Promise<boolean> {
  const { access_token } = await suite.tokens()
  await suite.isActive(access_token)
  const all = spans()
  const requests = new Set(all.filter(({ name }) => name === 'POST /oauth/v2/introspect').map(({ id }) => id))
  return all.some(({ name, parentId }) => name === 'XRANGE' && requests.has(parentId))
}

/** As a client that is traced itself: signs in, redeems, introspects, revokes, and has an administrator export. */
export async function visitTraced(
  suite: Suite,
): Promise<{ readonly traceId: string; readonly clientSpan: string }> {
  const traceId = randomBytes(16).toString('hex')
  const clientSpan = randomBytes(8).toString('hex')
  suite.traceparent = `00-${traceId}-${clientSpan}-01`
  const { access_token } = await suite.tokens()
  if (!(await suite.isActive(access_token))) throw new Error('the token is not active')
  await suite.revoke('web', access_token)
  const { status, text } = await suite.administer('POST', '/admin/v1/export', { responseOutput: true })
  if (status !== 200) throw new Error(`no export, but ${status}: ${text}`)
  suite.traceparent = undefined
  return { traceId, clientSpan }
}
