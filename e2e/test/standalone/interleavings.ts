import { expect } from 'vitest'
import { type Replica, type Suites, seeded, type Tokens } from './suites.ts'

/** Printed by a failing assertion; set SIGNET_TEST_SEED to it to run the same orders again. */
export function seedOfRun(): string {
  return process.env.SIGNET_TEST_SEED ?? String(Date.now())
}

export async function currentEpoch(suites: Suites, userId: string): Promise<number> {
  const { rows } = await suites.database.query<{ token_epoch: number }>({
    name: 'test.epoch',
    text: 'SELECT token_epoch FROM directory.account WHERE user_id = $1',
    values: [userId],
  })
  return rows[0]?.token_epoch ?? 0
}

type Ending = (replica: Replica, at: { sid: string; userId: string; refreshToken: string }) => Promise<void>

export async function accepted(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`the ending call was answered ${status}: ${JSON.stringify(body)}`)
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  logout: (replica, { sid, userId }) => replica.logout({ sid, userId }),
  revoke: (replica, { refreshToken }) => accepted(replica.revoke(refreshToken)),
  deactivate: (replica, { userId }) =>
    accepted(replica.manage('PATCH', `/users/${userId}`, { state: 'inactive' })),
  changePassword: (replica, { userId }) =>
    accepted(
      replica.manage('POST', `/users/${userId}/password`, { password: `Correct-horse-${Math.random()}` }),
    ),
  signOut: (replica, { userId }) => accepted(replica.manage('POST', `/users/${userId}/sign-out`)),
}

/** One interleaving: a session, a grant, a second code, and an ending somewhere among redemptions and refreshes. */
export async function interleave(suites: Suites, users: readonly string[], seed: string): Promise<void> {
  const random = seeded(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const anyReplica = () => pick(suites.replicas)
  const endingName = pick(Object.keys(ENDINGS))
  const userId = pick(users)
  const sid = `sid-${seed}`
  const session = { sid, userId, userEpoch: await currentEpoch(suites, userId) }

  const first = await anyReplica().redeem(await anyReplica().issueCode(session))
  expect(first.status, `${seed}: the first redemption`).toBe(200)
  const obtained: Tokens[] = [first.body]
  const secondCode = await anyReplica().issueCode(session)

  const keep = async (call: Promise<{ status: number; body: Tokens }>) => {
    const { status, body } = await call
    if (status === 200) obtained.push(body)
    else expect([400, 503], `${seed}: ${JSON.stringify(body)}`).toContain(status)
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
    move: () => end(anyReplica(), { sid, userId, refreshToken: first.body.refresh_token }),
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
    for (const replica of suites.replicas) {
      expect(await replica.isActive(access_token), `${seed}: active after ${endingName}`).toBe(false)
    }
    const refreshed = await anyReplica().refresh(refresh_token)
    expect(refreshed.status, `${seed}: refreshed after ${endingName}`).toBe(400)
  }
  if (endingName !== 'revoke') {
    expect((await anyReplica().redeem(secondCode)).status, `${seed}: redeemed after ${endingName}`).toBe(400)
  }
  if (endingName === 'deactivate')
    await accepted(anyReplica().manage('PATCH', `/users/${userId}`, { state: 'active' }))
}
