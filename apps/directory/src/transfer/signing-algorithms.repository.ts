import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { leaveOut, memberLeftOut, type RuledRecords } from './record-writer.ts'

type MachineUser = RecordOf<'machineUsers'>

/** Returns the reasons why new objects may not have a signing algorithm, by the algorithm; allowed ones are absent. */
export async function signingAlgorithmProblems(tx: Queryable): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ algorithm: string; problem: string }>({
    name: 'transfer.signing_algorithm_problems', // one row
    text: `SELECT algorithm, problem
             FROM unnest($1::text[]) AS algorithm, directory.signing_algorithm_problem(algorithm) AS problem
            WHERE problem IS NOT NULL`,
    values: [SIGNING_ALGORITHMS],
  })
  return new Map(rows.map(({ algorithm, problem }) => [algorithm, problem]))
}

/** Service users without the algorithms that they may not choose and do not have. */
export async function machineUsersUnderRules(
  tx: Queryable,
  users: readonly MachineUser[],
): Promise<RuledRecords<MachineUser>> {
  const problems = await signingAlgorithmProblems(tx)
  const stored = await storedAlgorithms(tx, problems.size === 0 ? [] : users)
  const ruled = users.map((user) =>
    leaveOut(user, {
      accessTokenSigningAlg: (algorithm) =>
        algorithm === stored.get(user.userId) ? undefined : problems.get(algorithm),
    }),
  )
  return {
    records: ruled.map(({ kept }) => kept),
    leftOut: ruled.flatMap(({ problems: broken }, index) =>
      broken.map((problem) => memberLeftOut(index, problem)),
    ),
    refused: new Map(),
  }
}

async function storedAlgorithms(
  tx: Queryable,
  users: readonly MachineUser[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ userId: string; algorithm: string }>({
    name: 'transfer.service_user.algorithms', // primary key
    text: `SELECT user_id AS "userId", access_token_signing_alg AS algorithm FROM directory.service_user
            WHERE user_id = ANY ($1::text[])`,
    values: [users.map(({ userId }) => userId)],
  })
  return new Map(rows.map(({ userId, algorithm }) => [userId, algorithm]))
}
