import { expect, it } from 'vitest'
import { createFakeClock } from '../src/fake-clock.ts'

it('stands still until it is moved, and returns dates that other code cannot change', () => {
  const clock = createFakeClock(new Date(1_000))
  clock.now().setTime(5)
  expect(clock.now()).toEqual(new Date(1_000))
  clock.advance(500)
  expect(clock.now()).toEqual(new Date(1_500))
  clock.set(new Date(10))
  expect(clock.now()).toEqual(new Date(10))
})
