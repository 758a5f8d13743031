import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

describe('createMetrics', () => {
  it('reads gauges when asked, forgets what is gone, and counts', async () => {
    const metrics = createMetrics()
    let ages = [
      { labels: { ring: 'signing' }, value: 1.5 },
      { labels: { ring: 'access-seal' }, value: 2 },
    ]
    metrics.gauge({ name: 'signet_age_seconds', help: 'Age.', labels: ['ring'] }, () => ages)
    const count = metrics.counter({ name: 'signet_things_total', help: 'Things.', labels: ['kind'] })
    count({ kind: 'a' })
    count({ kind: 'a' })
    expect((await metrics.text()).split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'signet_age_seconds{ring="signing"} 1.5',
      'signet_age_seconds{ring="access-seal"} 2',
      '',
      'signet_things_total{kind="a"} 2',
      '',
    ])
    ages = ages.slice(1)
    expect(await metrics.text()).not.toContain('signing')
  })

  it('refuses a name that is taken', () => {
    const metrics = createMetrics()
    const once = () => metrics.counter({ name: 'signet_things_total', help: 'Things.', labels: [] })
    once()
    expect(once).toThrow('signet_things_total')
  })
})
