import { type Lane, laneOf } from '../load/lane.ts'
import { arrive, quantileOf } from '../load/open-loop.ts'
import type { Sizes } from '../sizes.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import type { Figure, FigureRow } from './figure-row.ts'
import { introspection } from './introspect.ts'
import { sameBytes } from './right-answers.ts'
import { signIn, tokensOfSignIn } from './sign-in.ts'

const SIGN_INS_PER_SECOND = 50
const INTROSPECTIONS_PER_SECOND = 200

/** Introspections at a steady rate, alone and while more people sign in than two cores can verify passwords of. */
export const signInPressure: FigureRow = {
  kind: 'figures',
  name: 'sign-in-pressure',
  title: `introspection while ${SIGN_INS_PER_SECOND} people a second sign in`,
  async measure(sizes) {
    const stage = await openStage(sizes)
    try {
      return await figuresOf(stage, sizes)
    } finally {
      await stage.stop()
    }
  },
}

async function figuresOf(stage: Stage, { rounds, turnMs, lanes }: Sizes): Promise<readonly Figure[]> {
  const durationMs = rounds * turnMs
  const several = (lane: Lane) => Array.from({ length: lanes }, () => lane)
  const at = (lane: Lane, perSecond: number) =>
    arrive(several(lane), stage.connections.send, { perSecond, durationMs, random: Math.random })
  const { access_token } = await tokensOfSignIn(stage)
  const asked = introspection(stage, access_token)
  const answer = await stage.connections.send(asked)
  const isActive = sameBytes({ active: true, sub: 'alice' })(answer)
  if (isActive === undefined) throw new Error(`introspection answered ${answer.status}: ${answer.body}`)
  const introspect = laneOf(() => asked, isActive)
  const person: Lane = async () => void (await signIn(stage))
  await at(introspect, INTROSPECTIONS_PER_SECOND)
  const alone = await at(introspect, INTROSPECTIONS_PER_SECOND)
  const startedAt = performance.now()
  const [beside, signIns] = await Promise.all([
    at(introspect, INTROSPECTIONS_PER_SECOND),
    at(person, SIGN_INS_PER_SECOND),
  ])
  const seconds = (performance.now() - startedAt) / 1_000
  return [
    { name: 'introspect alone: p50', value: quantileOf(alone, 0.5), unit: 'ms' },
    { name: 'introspect alone: p99', value: quantileOf(alone, 0.99), unit: 'ms' },
    { name: 'introspect beside sign-ins: p50', value: quantileOf(beside, 0.5), unit: 'ms' },
    { name: 'introspect beside sign-ins: p99', value: quantileOf(beside, 0.99), unit: 'ms' },
    { name: 'sign-ins that ended', value: signIns.length / seconds, unit: '/s' },
    { name: 'sign-in: p99, waiting included', value: quantileOf(signIns, 0.99), unit: 'ms' },
  ]
}
