import { describe, expect, it } from 'vitest'
import { createLogger, type LogFields, type Logger } from './logger.ts'

function recordingLogger(level: 'debug' | 'warn' = 'debug'): {
  logger: Logger
  lines: Record<string, unknown>[]
  text: () => string
} {
  const written: string[] = []
  const lines: Record<string, unknown>[] = []
  const destination = {
    write(line: string) {
      written.push(line)
      lines.push(JSON.parse(line))
    },
  }
  return {
    logger: createLogger({ service: 'token', level, destination }),
    lines,
    text: () => written.join(''),
  }
}

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl'
const canaries = [
  'sgat_canary-0.a.b',
  'sgrt_canary1.g.1.mac',
  'sgco_canary2',
  'sgcs_canary3',
  'sgpat_canary4',
  'sgit_canary11',
  'sgcr_canary12',
  jwt,
  '$2b$14$canary5canary5canary5caOt2w1y6Zz3a4b5c6d7e8f9g0h1i2j3k4',
  '$argon2id$v=19$m=19456,t=2,p=1$canary6$canary7',
  '$P$Bcanary9.canary9/canary9',
  '$md5salted-suffix$canary10$canary10==',
  '-----BEGIN PRIVATE KEY-----\ncanary8\n-----END PRIVATE KEY-----',
]

describe('logger', () => {
  it('writes one JSON line with level, time, service, event and fields', () => {
    const { logger, lines } = recordingLogger()
    logger.child({ requestId: 'r1' }).info('http_request', { status: 200, route: '/oauth/v2/token' })
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        service: 'token',
        requestId: 'r1',
        event: 'http_request',
        status: 200,
        route: '/oauth/v2/token',
      },
    ])
  })

  it('leaves out lines below its level', () => {
    const { logger, lines } = recordingLogger('warn')
    logger.info('quiet')
    logger.warn('loud')
    expect(lines).toHaveLength(1)
  })

  it('ASVS 16.2.5: fields that are not on the list are dropped and named', () => {
    const { logger, lines, text } = recordingLogger()
    logger.info('event', { clientId: 'web', password: 'canary', body: { token: 'canary' } } as LogFields)
    expect(lines[0]).toMatchObject({ clientId: 'web', dropped: ['password', 'body'] })
    expect(text()).not.toContain('canary')
  })

  it('ASVS 16.2.5: listed fields carry no objects', () => {
    const { logger, text } = recordingLogger()
    logger.info('event', { name: { deep: 'canary' } } as unknown as LogFields)
    expect(text()).not.toContain('canary')
  })

  it.each(canaries)('ASVS 16.2.5: %s is redacted wherever it appears', (canary) => {
    const { logger, text } = recordingLogger()
    const error = new Error(`failed for ${canary}`, { cause: new Error(`because of "${canary}"`) })
    logger.error('request_failed', { reason: `saw ${canary}`, name: canary, error })
    logger.info(`event ${canary}`)
    logger.child({ name: canary }).info('event', { notReady: [canary] })
    expect(text()).not.toMatch(/canary\d|c2lnbmF0dXJl/)
    expect(text()).toContain('redacted')
  })

  it.each([
    'Authorization: Bearer canary1',
    'Authorization: Basic Y2FuYXJ5MQ==canary1',
    'connect postgres://signet:canary1@db:5432/signet',
    'redis://:canary1@localhost',
    'client_secret=canary1&code=canary2&state=ok',
    '{"password":"canary1"}',
    'code_verifier: canary1',
  ])('ASVS 16.2.5: credentials inside a message are redacted: %s', (message) => {
    const { logger, text } = recordingLogger()
    logger.error('failed', { error: new Error(message) })
    expect(text()).not.toMatch(/canary\d/)
  })

  it('logs an error by name, code, reason and stack, without the properties that a driver added', () => {
    const { logger, lines, text } = recordingLogger()
    const error = Object.assign(new TypeError('broken'), {
      code: '23505',
      reason: 'row_taken',
      detail: 'Key (email)=(canary) exists',
    })
    logger.warn('write_failed', { error })
    logger.warn('write_failed', { error: 'canary' })
    expect(lines[0]?.error).toMatchObject({
      name: 'TypeError',
      code: '23505',
      reason: 'row_taken',
      message: 'broken',
      stack: expect.stringContaining('logger.test'),
    })
    expect(text()).not.toContain('canary')
  })

  it('a message of any length becomes a short one quickly', () => {
    const { logger, text } = recordingLogger()
    logger.error('failed', { error: new Error('a.'.repeat(500_000)), reason: '-----BEGIN '.repeat(50_000) })
    expect(text().length).toBeLessThan(10_000)
  })
})
