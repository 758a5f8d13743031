import { expect, it } from 'vitest'
import { createHostileEnvironment } from './fixtures/hostile-environment.ts'

it('the calls of one sign-in have one time limit together', async () => {
  const on = await createHostileEnvironment({ limits: { callMs: 600_000, callsMs: 300 } })
  for (const path of ['/token', '/userinfo']) {
    await on.renew()
    on.upstream.answers.set(path, () => undefined)
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'provider_away', temporary: true })
    expect(on.upstream.asked(path)).toBe(1)
  }
  await on.stop()
})
