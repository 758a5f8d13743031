import { createHash } from 'node:crypto'
import { seeded } from '@signet/testing/seeded'
import type { OAuthEnvironment } from '@signet/testing/system/oauth-environment'
import { type Answer, type Tokens, tokensOf } from '@signet/testing/system/test-system'
import { expect } from 'vitest'

/** Printed by a failing assertion; set SIGNET_TEST_SEED to it to run the same orders again. */
export function seedOfRun(): string {
  return process.env.SIGNET_TEST_SEED ?? String(Date.now())
}

/** A session of the user that begins now, and the scope of its codes. */
export async function sessionOf({ epochOf }: OAuthEnvironment, sid: string, userId: string) {
  return { sid, userId, epoch: await epochOf(userId), scope: 'openid offline_access' }
}

type Ending = (
  replica: OAuthEnvironment,
  at: { sid: string; userId: string; refreshToken: string },
) => Promise<void>

export async function accepted(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer
  if (status >= 300) throw new Error(`the ending call was answered ${status}: ${text}`)
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  logout: (replica, { sid, userId }) => replica.logout(sid, userId),
  revoke: (replica, { refreshToken }) => accepted(replica.revoke(refreshToken)),
  deactivate: (replica, { userId }) =>
    accepted(replica.manage('PATCH', `/management/v1/users/${userId}`, { state: 'inactive' })),
  changePassword: (replica, { userId }) =>
    accepted(
      replica.manage('POST', `/management/v1/users/${userId}/password`, {
        password: `Correct-horse-${Math.random()}`,
      }),
    ),
  signOut: (replica, { userId }) =>
    accepted(replica.manage('POST', `/management/v1/users/${userId}/sign-out`)),
}

/** Runs an interleaving: a session, a grant, a second code, and an ending somewhere among redemptions and refreshes. */
export async function interleave(
  replicas: readonly [OAuthEnvironment, ...OAuthEnvironment[]],
  users: readonly string[],
  seed: string,
): Promise<void> {
  const random = seeded(createHash('sha256').update(seed).digest().readInt32BE())
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const anyReplica = () => pick(replicas)
  const endingName = pick(Object.keys(ENDINGS))
  const userId = pick(users)
  const sid = `sid-${seed}`
  const session = await sessionOf(replicas[0], sid, userId)

  const first = await anyReplica().redeem(await anyReplica().code(session))
  expect(first.status, `${seed}: the first redemption`).toBe(200)
  const obtained: Tokens[] = [tokensOf(first)]
  const secondCode = await anyReplica().code(session)

  const keep = async (call: Promise<Answer>) => {
    const answer = await call
    if (answer.status === 200) obtained.push(tokensOf(answer))
    else expect([400, 503], `${seed}: ${answer.text}`).toContain(answer.status)
  }
  const refresh = async () => {
    const replica = anyReplica()
    const last = obtained.at(-1) as Tokens
    await keep(replica.refresh(last.refresh_token))
  }
  // Revoking ends one grant; a redemption beside it would rightly make another one that lives.
  const redeem = endingName === 'revoke' ? refresh : () => keep(anyReplica().redeem(secondCode))
  const moves = [redeem, redeem, refresh, refresh, refresh].map((move) => ({ move, at: random() }))
  const end = ENDINGS[endingName] as Ending
  const endingMove = {
    move: () => end(anyReplica(), { sid, userId, refreshToken: tokensOf(first).refresh_token }),
    at: random(),
  }
  await Promise.all(
    [...moves, endingMove].map(async ({ move, at }) => {
      for (let turns = Math.floor(at * 40); turns > 0; turns -= 1)
        await new Promise((resolve) => setImmediate(resolve))
      await move()
    }),
  )

  for (const { access_token, refresh_token } of obtained) {
    for (const replica of replicas) {
      expect(await replica.isActive(access_token), `${seed}: active after ${endingName}`).toBe(false)
    }
    const refreshed = await anyReplica().refresh(refresh_token)
    expect(refreshed.status, `${seed}: refreshed after ${endingName}`).toBe(400)
  }
  if (endingName !== 'revoke') {
    expect((await anyReplica().redeem(secondCode)).status, `${seed}: redeemed after ${endingName}`).toBe(400)
  }
  if (endingName === 'deactivate')
    await accepted(anyReplica().manage('PATCH', `/management/v1/users/${userId}`, { state: 'active' }))
}
