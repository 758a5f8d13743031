import { readSettings, retiredSettings } from '@signet/platform/config/settings'
import { expect, it } from 'vitest'
import { REVOCATION_SETTINGS, revocationConfig } from './revocation-settings.ts'

const configOf = (env: Record<string, string>) => revocationConfig(readSettings(env, REVOCATION_SETTINGS))

it('reads the log and uses the set for 10 seconds by default', () => {
  expect(configOf({})).toEqual({
    revocationLog: true,
    revocationBounds: { stalenessSeconds: 10, maxEndings: 1_000_000 },
  })
})

it.each(['SIGNET_REVOCATION_LOG', 'SIGNET_REVOCATION_MIRROR'])(
  'does not read the log with %s=off',
  (name) => {
    expect(configOf({ [name]: 'off' }).revocationLog).toBe(false)
  },
)

it('warns of the retired setting only', () => {
  expect(retiredSettings({ SIGNET_REVOCATION_LOG: 'off' })).toEqual([])
  expect(retiredSettings({ SIGNET_REVOCATION_MIRROR: 'on' })).toEqual([
    'SIGNET_REVOCATION_MIRROR: is retired; use SIGNET_REVOCATION_LOG',
  ])
})

it('refuses a staleness beyond five minutes', () => {
  expect(() => configOf({ SIGNET_REVOCATION_STALENESS_SECONDS: '301' })).toThrow('from 1 to 300')
})
