import type { Database } from '@signet/platform/postgres/pool'
import { inGroups } from '@signet/platform/runtime/in-groups'
import type { GrantRow } from './grant-row.ts'
import type { Rotation } from './grant-store.ts'
import { rotateManyStatement, rotateStatement } from './rotation-statements.ts'

/** A statement of any size would hold its rows, and whoever waits for them, too long. */
const MOST_ROTATIONS = 50

type Rotate = (rotation: Rotation) => Promise<GrantRow | undefined>

/** Resolves to the family's row, moved on, or to undefined when it is not at that counter or may not go on. */
export type JointRotate = (
  endWeek: number,
  rotation: Rotation,
  idleMs: number,
) => Promise<GrantRow | undefined>

/**
 * Rotates families that are asked for at the same time by one statement and one commit, the next while it runs. Each is
 * decided by its own row as if it were alone, and none waits for the row of another.
 */
export function jointRotations(database: Database): JointRotate {
  // What one statement has in common: the partition it names and the idle end it sets.
  const groups = new Map<string, Rotate>()
  return (endWeek, rotation, idleMs) => {
    const key = `${endWeek} ${idleMs}`
    const rotate = groups.get(key) ?? rotateInPartition(database, endWeek, idleMs)
    groups.set(key, rotate)
    return rotate(rotation)
  }
}

/** Somebody else may have asked for the same family in the same statement: with an old token, or another client. */
function isMovedBy(row: GrantRow, { clientId, refreshKid, counter }: Rotation): boolean {
  return row.client_id === clientId && row.refresh_kid === refreshKid && row.counter === counter + 1
}

function rotateInPartition(database: Database, endWeek: number, idleMs: number): Rotate {
  const together = inGroups<Rotation, GrantRow | undefined>(MOST_ROTATIONS, async (rotations) => {
    const { rows } = await database.query<GrantRow>(rotateManyStatement(endWeek, rotations, idleMs))
    const moved = new Map(rows.map((row) => [row.grant_id, row]))
    return rotations.map((rotation) => {
      const row = moved.get(rotation.grantId)
      if (row === undefined || !isMovedBy(row, rotation)) return undefined
      // Of two calls with one token the first moved it.
      moved.delete(rotation.grantId)
      return row
    })
  })

  // Whoever has to wait for a row waits outside the group.
  const alone: Rotate = async (rotation) => {
    const { rows } = await database.query<GrantRow>(rotateStatement(endWeek, rotation, idleMs))
    return rows[0]
  }

  return async (rotation) => (await together(rotation)) ?? alone(rotation)
}
