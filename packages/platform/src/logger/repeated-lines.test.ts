import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from './logger.ts'

const lines: Record<string, unknown>[] = []
const destination = { write: (text: string) => void lines.push(JSON.parse(text)) }
const log = () => createLogger({ service: 'test', level: 'info', destination })
const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

beforeEach(() => {
  lines.length = 0
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

describe('lines that an outage repeats', () => {
  it('writes one a second and reason, and counts every occurrence', () => {
    const logger = log()
    const child = logger.child({ requestId: 'of-a-child' })
    for (let second = 0; second < 120; second++) {
      for (let request = 0; request < 25; request++) {
        logger.error('request_failed', { reason: 'postgres_unavailable', error })
        child.info('http_request', { route: '/oauth/v2/introspect', status: 503 })
      }
      vi.advanceTimersByTime(1_000)
    }
    expect(lines.length).toBeLessThan(2 * 122)
    for (const event of ['request_failed', 'http_request']) {
      const own = lines.filter((line) => line.event === event)
      expect(own.reduce((sum, { count = 1 }) => sum + Number(count), 0)).toBe(120 * 25)
    }
  })

  it('writes another reason, code or route at once', () => {
    const logger = log()
    logger.error('request_failed', { reason: 'postgres_unavailable', error })
    logger.error('request_failed', { reason: 'redis_unavailable', error })
    logger.error('request_failed', { reason: 'redis_unavailable', error: new TypeError('x') })
    logger.info('http_request', { route: '/a', status: 503 })
    logger.info('http_request', { route: '/b', status: 503 })
    expect(lines).toHaveLength(5)
  })

  it('writes every refusal, every request that did not fail, and every event of the audit', () => {
    const logger = log()
    for (let n = 0; n < 10; n++) {
      logger.info('request_refused', { reason: 'client_secret_wrong' })
      logger.info('http_request', { route: '/a', status: 429 })
      logger.error('audit_read_unrecorded', { error })
    }
    expect(lines).toHaveLength(30)
  })

  it('writes again at once when the second before was silent', () => {
    const logger = log()
    logger.warn('database_unreachable', { error })
    vi.advanceTimersByTime(1_000)
    logger.warn('database_unreachable', { error })
    expect(lines).toHaveLength(2)
    expect(lines[1]).not.toHaveProperty('count')
  })
})
