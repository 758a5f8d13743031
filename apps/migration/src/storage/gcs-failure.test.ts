import { expect, it } from 'vitest'
import { gcsFailure } from './gcs-failure.ts'

const place = { service: 'Google Cloud Storage', bucket: 'exports', object: 'a.json' } as const

it.each([
  [
    'what the SDK gave up to repeat',
    new Error('Retry limit exceeded - [object Object]'),
    'service_unavailable',
  ],
  ['a lost upload', Object.assign(new Error('Upload failed'), { code: 410 }), 'service_unavailable'],
  ['too many requests', Object.assign(new Error('slow down'), { status: 429 }), 'service_unavailable'],
  ['a cut connection', Object.assign(new Error('failed'), { code: 'ECONNRESET' }), 'connection_lost'],
  ['a name that is not known now', Object.assign(new Error('failed'), { code: 'EAI_AGAIN' }), 'unreachable'],
])('%s may succeed later', (_, error, reason) => {
  expect(gcsFailure(error, place, 'create')).toMatchObject({ reason, isTransient: true })
})

it('a failure that the caller has to fix is not transient', () => {
  for (const status of [400, 401, 403, 404, 412]) {
    const error = Object.assign(new Error('canary'), { status })
    expect(gcsFailure(error, place, 'read')).toMatchObject({ isTransient: false })
    expect(String(gcsFailure(error, place, 'read'))).not.toContain('canary')
  }
})
