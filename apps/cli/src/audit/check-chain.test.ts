import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createChainCheck, type Segment } from './check-chain.ts'

const MINUTE_US = 60_000_000
const START_US = Date.UTC(2030, 0, 1) * 1_000
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')

/** A chain of segments sealed a minute after another, each with rows at the given minutes since the start. */
function chainOf(segments: readonly (readonly number[])[]): readonly Segment[] {
  let previous = '0'.repeat(64)
  return segments.map((minutes, index) => {
    const number = index + 1
    const rows = minutes
      .map((minute) => START_US + minute * MINUTE_US)
      .toSorted((one, other) => one - other)
      .map((at) => ({ id: `row-${at}`, at, content: `content ${at}`, hash: sha256(`content ${at}`) }))
    const sealedAt = START_US + number * MINUTE_US
    const firstAt = rows[0]?.at ?? 0
    const lastAt = rows.at(-1)?.at ?? 0
    const rowsHash = sha256(Buffer.from(rows.map(({ hash }) => hash).join(''), 'hex'))
    const fields = [number, sealedAt, rows.length, firstAt, lastAt, rowsHash, previous]
    const hash = sha256(['signet-audit-segment-1', 'directory', ...fields].join('\n'))
    const segment = {
      number,
      sealedAt,
      rowCount: rows.length,
      firstAt,
      lastAt,
      rowsHash,
      previous,
      hash,
      rows,
    }
    previous = hash
    return segment
  })
}

function problemsOf(segments: readonly Segment[]) {
  const check = createChainCheck('directory', new Date(START_US / 1_000), [])
  check.add(segments, [])
  return check.finish([])
}

it('accepts rows of transactions that committed up to a minute late', () => {
  expect(problemsOf(chainOf([[0.1, 0.9], [0.2, 1.5], [2.5]]))).toEqual([])
})

it('accepts rows that waited for hours to be sealed, in their order', () => {
  expect(
    problemsOf(
      chainOf([
        [-300, -200],
        [-199, -100],
        [-99, 2.5],
      ]),
    ),
  ).toEqual([])
})

it('names a row that was sealed with a time before the segments before, also after another one', () => {
  const problems = problemsOf(chainOf([[0.5], [1.5], [-17, 2.5], [-16]]))
  expect(problems.map(({ kind, text }) => [kind, text.slice(0, 16)])).toEqual([
    ['added', 'segment 3, row 1'],
    ['added', 'segment 4, row 1'],
  ])
})

it('names a row with a time after its segment, and not the rows that follow', () => {
  const problems = problemsOf(chainOf([[0.5, 30], [1.5]]))
  expect(problems.map(({ kind, text }) => [kind, text.slice(0, 16)])).toEqual([['added', 'segment 1, row 2']])
})
