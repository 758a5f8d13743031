import { createFakeClock } from '@signet/testing/fake-clock'
import { expect, it } from 'vitest'
import { createRefusingProviders } from './refusing-providers.ts'

it('counts a provider from its fifth refusal in a row on, until one person signs in', () => {
  const refusing = createRefusingProviders(createFakeClock().now)
  const ended = Array.from({ length: 6 }, () => refusing.ended('a', 'signature_invalid'))
  expect(ended).toEqual([false, false, false, false, true, false])
  for (let time = 0; time < 4; time += 1) refusing.ended('b', 'issuer_differs')
  expect(refusing.count()).toBe(1)
  refusing.ended('a', undefined)
  expect(refusing.count()).toBe(0)
})

it('forgets refusals of more than 15 minutes ago', () => {
  const clock = createFakeClock()
  const refusing = createRefusingProviders(clock.now)
  for (let time = 0; time < 4; time += 1) refusing.ended('a', 'provider_away')
  clock.advance(15 * 60_000)
  expect(refusing.ended('a', 'provider_away')).toBe(false)
  for (let time = 0; time < 4; time += 1) refusing.ended('a', 'provider_away')
  expect(refusing.count()).toBe(1)
  clock.advance(15 * 60_000)
  expect(refusing.count()).toBe(0)
})

it('watches a thousand providers, the last that refused', () => {
  const refusing = createRefusingProviders(createFakeClock().now)
  for (let provider = 0; provider < 1_100; provider += 1) {
    for (let time = 0; time < 5; time += 1) refusing.ended(`${provider}`, 'signature_invalid')
  }
  expect(refusing.count()).toBe(1_000)
})
