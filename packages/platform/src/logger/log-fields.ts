/**
 * Every field that a log line may have. The list is closed, so that a token, a password or a body cannot be logged
 * by accident; add a name here when its values are never secret and say nothing about a person but an id.
 */
export const LOG_FIELD_NAMES = [
  'accountId',
  'address',
  'alg',
  'applicationId',
  'attempt',
  'audit',
  'caller',
  'clientId',
  'code',
  'count',
  'database',
  'dependency',
  'durationMs',
  'endpoint',
  'field',
  'file',
  'grantId',
  'grantType',
  'host',
  'issuer',
  'jobId',
  'kid',
  'kind',
  'method',
  'name',
  'notReady',
  'organizationId',
  'outcome',
  'pid',
  'port',
  'projectId',
  'reason',
  'requestId',
  'responseType',
  'revision',
  'ring',
  'role',
  'route',
  'rpc',
  'schema',
  'sessionId',
  'signal',
  'stage',
  'state',
  'status',
  'targetId',
  'tokenId',
  'url',
  'userId',
  'version',
] as const

type LogFieldName = (typeof LOG_FIELD_NAMES)[number]

export type LogFields = {
  readonly [N in LogFieldName]?: string | number | boolean | readonly string[] | undefined
}
