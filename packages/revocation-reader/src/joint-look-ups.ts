import type { Redis } from '@signet/redis/client'
import { inOneWrite } from '@signet/redis/one-write'

/** The value of a key that was asked for, null when it is not there. Throws for a key that has no answer. */
export type Values = (key: string) => string | null

/** Asks one server for the values of keys in one slot; undefined when it does not answer in time. */
export type AskForValues = (
  connection: Redis,
  keys: readonly string[],
) => Promise<readonly (string | null)[] | undefined>

interface Question {
  /** The keys, each with its place in the answer. */
  readonly places: Map<string, number>
  readonly answer: Promise<Values | undefined>
  readonly resolve: (answer: Promise<Values | undefined>) => void
}

interface Turn {
  /** By shard, that which takes more keys. */
  readonly open: Map<number, Question>
  readonly all: Question[]
}

/** Redis answers nobody else meanwhile. */
const MOST_KEYS = 512

/**
 * Asks together what is asked in one turn of the event loop: one MGET for each shard, every key once. A command of its
 * own for each check takes a busy process, and Redis, several times as long.
 */
export class JointLookUps {
  readonly #ask: AskForValues
  readonly #turns = new Map<Redis, Turn>()

  constructor(ask: AskForValues) {
    this.#ask = ask
  }

  /** The values as they stand some time after the call. */
  values(connection: Redis, shard: number, keys: readonly string[]): Promise<Values | undefined> {
    const turn = this.#turns.get(connection) ?? this.#begin(connection)
    let question = turn.open.get(shard)
    if (question === undefined || question.places.size + keys.length > MOST_KEYS) {
      question = newQuestion()
      turn.open.set(shard, question)
      turn.all.push(question)
    }
    const { places, answer } = question
    for (const key of keys) if (!places.has(key)) places.set(key, places.size)
    return answer
  }

  #begin(connection: Redis): Turn {
    const turn: Turn = { open: new Map(), all: [] }
    this.#turns.set(connection, turn)
    setImmediate(() => {
      this.#turns.delete(connection)
      inOneWrite(connection, () => {
        for (const question of turn.all) this.#send(connection, question)
      })
    })
    return turn
  }

  #send(connection: Redis, { places, resolve }: Question): void {
    resolve(
      this.#ask(connection, [...places.keys()]).then(
        (values) => values && ((key) => answerFor(key, values[places.get(key) ?? values.length])),
      ),
    )
  }
}

function newQuestion(): Question {
  let resolve: Question['resolve'] = () => undefined
  const answer = new Promise<Values | undefined>((settle) => {
    resolve = settle
  })
  return { places: new Map(), answer, resolve }
}

/** What is not known may not pass for "not ended". */
function answerFor(key: string, value: string | null | undefined): string | null {
  if (value === undefined) throw new Error(`Redis did not answer for ${key}`)
  return value
}
