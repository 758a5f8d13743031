import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { type KeySet, verifySigned } from '@signet/file-formats/archive/manifest'
import { AUDIT_CHAINS, AUDIT_HEAD_TYP, type AuditChain } from '@signet/tokens/audit-head'
import { z } from 'zod'
import { openSuite } from '../access/suite-access.ts'
import type { Suite } from '../api/suite.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { keySetAt } from '../key-set.ts'
import { createChainCheck, type KnownHead, type Segment } from './check-chain.ts'

const headClaims = z.object({
  format: z.literal('signet-audit-head'),
  version: z.literal(1),
  issuer: z.string(),
  chain: z.enum(AUDIT_CHAINS),
  number: z.int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  signedAt: z.iso.datetime(),
})
type HeadClaims = z.output<typeof headClaims>

/** The content of a file that `--save-head` wrote. */
const savedHeads = z.array(headClaims.extend({ jws: z.string() }))
type SavedHeads = z.output<typeof savedHeads>

/** Oldest accepted age of the newest head; `keys` signs a head at least every minute. */
const HEAD_AGE_MS = 600_000
const FOLLOW_MS = 10_000

interface ChainAnswer {
  readonly head?: string
  readonly segments: readonly Segment[]
  readonly added: readonly { readonly id: string; readonly at: number }[]
  readonly unsealed: number
  readonly nextCursor?: string
}

/** `audit verify` and `audit export`. */
export function addAuditCommands(add: AddCommand, context: CommandContext): void {
  const { say } = context

  add('audit verify')
    .description(
      'checks that no row of the audit logs was changed, deleted, moved or added since it was sealed, and that none was sealed with a time of more than a minute earlier',
    )
    .option('--keys <place>', 'the key set that signs the heads: FILE, or https://…/oauth/v2/keys (required)')
    .option('--head <file>', 'heads of an earlier check, which the logs must still contain')
    .option('--save-head <file>', 'writes the heads of this check to FILE, for the next one')
    .action(async ({ keys, head, saveHead }) => {
      if (keys === undefined) {
        throw new UsageError('--keys: name the key set, a file or https://…/oauth/v2/keys')
      }
      const keySet = await keySetAt(keys, context)
      const earlier = head === undefined ? [] : await readHeads(head)
      const suite = await openSuite(context)
      const found: string[] = []
      const saved: SavedHeads[number][] = []
      for (const log of AUDIT_CHAINS) {
        const before = earlier.filter(({ chain }) => chain === log)
        const checked = await verifyLog(suite, log, { keySet, before, now: context.now() })
        say(checked.summary)
        found.push(...checked.problems)
        if (checked.saved !== undefined) saved.push(checked.saved)
      }
      if (found.length > 0) {
        const others = found.length > 1 ? `\nand ${found.length - 1} more` : ''
        throw new CommandError('auditLogChanged', `${found[0]}${others}`)
      }
      if (saveHead !== undefined) await writeFile(saveHead, `${JSON.stringify(saved, null, 2)}\n`)
      say('every row is as it was sealed')
    })

  add('audit export')
    .description('writes audit rows as events of OCSF, one JSON object a line')
    .option('-o, --out <file>', 'appends to FILE instead of standard output')
    .option(
      '--cursor <file>',
      'continues after the cursor in FILE, and stores the next one there after each part',
    )
    .option('--follow', 'waits for new rows until it is stopped')
    .action(async ({ out, cursor: cursorFile, follow }) => {
      const suite = await openSuite(context)
      let cursor = cursorFile === undefined ? undefined : await readIfThere(cursorFile)
      for (;;) {
        const { lines, next, rows } = await exportPart(suite, cursor)
        if (out === undefined) for (const line of lines) say(line)
        else if (lines.length > 0) await appendFile(out, `${lines.join('\n')}\n`, { mode: 0o600 })
        // Written after the lines, so that a stop between the two writes repeats lines and loses none.
        if (cursorFile !== undefined && next !== undefined) await writeFile(cursorFile, next)
        cursor = next ?? cursor
        if (rows > 0) continue
        if (!follow) return
        await context.pause(FOLLOW_MS)
      }
    })
}

interface LogCheck {
  readonly keySet: KeySet
  /** Heads of earlier checks. */
  readonly before: SavedHeads
  readonly now: Date
}

async function verifyLog(suite: Suite, log: AuditChain, { keySet, before, now }: LogCheck) {
  const problems: string[] = []
  let page = await readPage(suite, log, undefined)
  const signed = page.head === undefined ? undefined : await verifiedHead(page.head, keySet, log)
  if (typeof signed === 'string') problems.push(`${log}: ${signed}`)
  const heads: KnownHead[] = [...before, ...(typeof signed === 'object' ? [signed] : [])]
  const check = createChainCheck(
    log,
    now,
    heads.map(({ number }) => number),
  )
  check.add(page.segments, page.added)
  const { head } = page
  while (page.nextCursor !== undefined) {
    page = await readPage(suite, log, page.nextCursor)
    check.add(page.segments, page.added)
  }
  problems.push(...check.finish(heads).map(({ kind, text }) => `${log}: ${kind}: ${text}`))
  if (signed === undefined && check.segments > 0) problems.push(`${log}: cut off: there is no signed head`)
  if (typeof signed === 'object' && now.getTime() - Date.parse(signed.signedAt) > HEAD_AGE_MS) {
    problems.push(
      `${log}: cut off: the newest signed head is of ${signed.signedAt}; rows after it may be missing`,
    )
  }
  const until =
    typeof signed === 'object' ? `signed head ${signed.number} of ${signed.signedAt}` : 'no signed head'
  return {
    summary: `${log}: ${check.rows} rows checked in ${check.segments} segments, ${page.unsealed} not sealed yet, ${until}`,
    problems,
    saved: typeof signed === 'object' && head !== undefined ? { ...signed, jws: head } : undefined,
  }
}

/** Returns the claims of the head, or the text of its problem. */
async function verifiedHead(jws: string, keySet: KeySet, log: AuditChain): Promise<HeadClaims | string> {
  const check = await verifySigned(jws, keySet, { typ: AUDIT_HEAD_TYP, schema: headClaims })
  if (check.outcome === 'key_unknown')
    return `the head is signed with the key ${check.kid}, which is not in the key set`
  if (check.outcome === 'invalid') return 'the signature of the head is wrong'
  return check.claims.chain === log ? check.claims : `the head is one of ${check.claims.chain}`
}

async function readPage(suite: Suite, log: AuditChain, cursor: string | undefined): Promise<ChainAnswer> {
  const query = new URLSearchParams({ log, ...(cursor !== undefined && { cursor }) })
  const path = `/management/v1/audit/chain?${query}`
  return (await (await suite.call({ method: 'GET', path, repeatable: true })).json()) as ChainAnswer
}

async function exportPart(suite: Suite, cursor: string | undefined) {
  const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor })}`
  const path = `/management/v1/audit/export${query}`
  const response = await suite.call({ method: 'GET', path, repeatable: true })
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  const events = lines.map((line) => JSON.parse(line) as { message: string; unmapped: { cursor: string } })
  const rows = events.filter(({ message }) => message !== 'audit_head').length
  return { lines, rows, next: events.at(-1)?.unmapped.cursor || undefined }
}

async function readHeads(file: string): Promise<SavedHeads> {
  const parsed = savedHeads.safeParse(jsonOf(await readFile(file, 'utf8').catch(() => '')))
  if (!parsed.success) throw new UsageError(`--head: ${file} is not a file that --save-head wrote`)
  return parsed.data
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new UsageError(`--cursor: ${file} cannot be read (${error.code})`, { cause: error })
  })
  return text.trim() || undefined
}
