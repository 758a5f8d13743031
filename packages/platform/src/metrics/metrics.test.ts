import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

describe('createMetrics', () => {
  it('reads gauges at a scrape, drops removed values, and counts', async () => {
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
      'signet_things_total{kind="a"} 2',
      '',
    ])
    ages = ages.slice(1)
    expect(await metrics.text()).not.toContain('signing')
  })

  it('reads external counts, and sorts observed values into buckets', async () => {
    const metrics = createMetrics()
    const kept = { hits: 3 }
    metrics.total({ name: 'signet_hits_total', help: 'Hits.', labels: ['of'] }, () => [
      { labels: { of: 'memory' }, value: kept.hits },
    ])
    const observe = metrics.histogram({
      name: 'signet_wait_seconds',
      help: 'Waits.',
      labels: ['of'],
      buckets: [0.1, 1],
    })
    for (const value of [0.25, 0.5, 5]) observe({ of: 'a' }, value)
    await metrics.text()
    kept.hits = 4
    expect((await metrics.text()).split('\n').filter((line) => line.startsWith('signet_'))).toEqual([
      'signet_hits_total{of="memory"} 4',
      'signet_wait_seconds_bucket{le="0.1",of="a"} 0',
      'signet_wait_seconds_bucket{le="1",of="a"} 2',
      'signet_wait_seconds_bucket{le="+Inf",of="a"} 3',
      'signet_wait_seconds_sum{of="a"} 5.75',
      'signet_wait_seconds_count{of="a"} 3',
    ])
  })

  it('has the last trace of each bucket as exemplar, in the format of OpenMetrics only', async () => {
    const metrics = createMetrics()
    metrics.counter({ name: 'signet_things_total', help: 'Things.', labels: ['kind'] })({
      kind: 'a # {b} 1 2',
    })
    const observe = metrics.histogram({
      name: 'signet_wait_seconds',
      help: 'Waits.',
      labels: [],
      buckets: [1],
    })
    observe({}, 0.25, 'a'.repeat(32))
    observe({}, 0.5, 'b'.repeat(32))
    observe({}, 0.5)
    observe({}, 7, 'c'.repeat(32))
    expect((await metrics.openMetrics()).replaceAll(/(?<=# .*\d) [\d.]+$/gm, ' time').split('\n')).toEqual([
      '# HELP signet_things Things.',
      '# TYPE signet_things counter',
      'signet_things_total{kind="a # {b} 1 2"} 1',
      '# HELP signet_wait_seconds Waits.',
      '# TYPE signet_wait_seconds histogram',
      `signet_wait_seconds_bucket{le="1"} 3 # {trace_id="${'b'.repeat(32)}"} 0.5 time`,
      `signet_wait_seconds_bucket{le="+Inf"} 4 # {trace_id="${'c'.repeat(32)}"} 7 time`,
      'signet_wait_seconds_sum 8.25',
      'signet_wait_seconds_count 4',
      '',
    ])
    expect((await metrics.text()).split('\n')).toEqual([
      '# HELP signet_things_total Things.',
      '# TYPE signet_things_total counter',
      'signet_things_total{kind="a # {b} 1 2"} 1',
      '# HELP signet_wait_seconds Waits.',
      '# TYPE signet_wait_seconds histogram',
      'signet_wait_seconds_bucket{le="1"} 3',
      'signet_wait_seconds_bucket{le="+Inf"} 4',
      'signet_wait_seconds_sum 8.25',
      'signet_wait_seconds_count 4',
      '',
    ])
  })

  it('refuses a name that is taken', () => {
    const metrics = createMetrics()
    const once = () => metrics.counter({ name: 'signet_things_total', help: 'Things.', labels: [] })
    once()
    expect(once).toThrow('signet_things_total')
    const observed = { name: 'signet_wait_seconds', help: 'Waits.', labels: [], buckets: [1] } as const
    metrics.histogram(observed)
    expect(() => metrics.histogram(observed)).toThrow('signet_wait_seconds')
  })
})
