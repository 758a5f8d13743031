import { writeFile } from 'node:fs/promises'
import { changedParts, verifyManifest } from '@signet/file-formats/archive/manifest'
import { newIdentity } from '@signet/file-formats/archive/sealing'
import type { AddCommand, CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { keySetAt } from '../key-set.ts'
import { table } from '../output.ts'
import { documentIn, saveWhole } from './archive-file.ts'
import { createArchiveSummary } from './archive-summary.ts'
import { readArchive } from './read-archive.ts'

const IDENTITY = ['--identity <file>', 'the age identity that opens a sealed archive; it stays here'] as const
const OUT = ['-o, --out <file>', 'FILE (required); readable by the user alone'] as const

/** `archive …`: looks into exports, and opens sealed ones, on this machine alone. */
export function addArchiveCommands(add: AddCommand, context: CommandContext): void {
  const { say } = context

  add('archive verify')
    .description('checks that an archive is what its source wrote: each section, and the signature')
    .argument('[file]', 'FILE; - is standard input')
    .option('--keys <place>', 'the key set of the source: FILE, or https://…/oauth/v2/keys (required)')
    .option(...IDENTITY)
    .addHelpText(
      'after',
      `
A key leaves the key set of its source a day after it was rotated: store the key set with an archive that is kept for long.`,
    )
    .action(async (file, { keys, identity }) => {
      const place = { file: requireFile(file), identity }
      if (keys === undefined) {
        throw new UsageError('--keys: name the key set of the source, a file or https://…/oauth/v2/keys')
      }
      const keySet = await keySetAt(keys, context)
      const read = await readArchive(place, {}, context)
      const { manifest: jws } = read.meta
      if (jws === undefined) throw new CommandError(7, `${place.file} has no manifest: it is not signed`)
      const check = await verifyManifest(jws, keySet)
      if (check.outcome === 'key_unknown') {
        const message = `${place.file}: the key ${shown(check.kid)} is not in ${keys}: the key set is of another time or issuer, or meta is damaged`
        throw new CommandError(7, message)
      }
      if (check.outcome === 'invalid') {
        throw new CommandError(7, `${place.file} is damaged in meta: the signature of its manifest is wrong`)
      }
      const { claims: manifest, kid } = check
      const changed = changedParts(manifest, read)
      if (changed.length > 0) {
        throw new CommandError(
          7,
          `${place.file} is not what ${manifest.issuer} signed: ${changed.join(', ')}`,
        )
      }
      const counts = Object.entries(manifest.sections).map(([name, { count }]) => `${count} ${name}`)
      say(`${place.file} is whole: ${counts.join(', ')}`)
      say(`signed by ${manifest.issuer} with the key ${kid}, written ${manifest.createdAt}`)
    })

  add('archive show')
    .description('shows what an archive holds, without the value of any credential')
    .argument('[file]', 'FILE; - is standard input')
    .option(...IDENTITY)
    .action(async (file, { identity }) => {
      const summary = createArchiveSummary()
      const { meta, sections } = await readArchive({ file: requireFile(file), identity }, summary, context)
      const signed = meta.manifest === undefined ? 'not signed' : 'signed; signet archive verify checks it'
      say(`written by ${meta.issuer} at ${meta.createdAt}, ${signed}\n`)
      say(
        table([
          ['SECTION', 'RECORDS'],
          ...Object.entries(sections).map(([name, { count }]) => [name, String(count)]),
        ]),
      )
      const { shown: organizations, hidden } = summary.organizations()
      const rows = organizations.map(({ id, name, people, serviceUsers }) => [
        ...[id, name, String(people), String(serviceUsers)],
      ])
      say(`\n${table([['ORGANIZATION', 'NAME', 'PEOPLE', 'SERVICE USERS'], ...rows])}`)
      if (hidden > 0) say(`and ${hidden} more`)
      const credentials = [...summary.credentials()].map(([kind, count]) => [kind, String(count)])
      say(
        credentials.length === 0
          ? '\nno credentials'
          : `\n${table([['CREDENTIALS', 'COUNT'], ...credentials])}`,
      )
    })

  add('archive open')
    .description('opens a sealed archive and writes its document; decompresses it, too')
    .argument('[file]', 'FILE; - is standard input')
    .option(...IDENTITY)
    .option(...OUT)
    .action(async (file, { identity, out }) => {
      const place = { file: requireFile(file), identity }
      const target = requireOut(out)
      await saveWhole(target, documentIn(place, context))
      say(`the document is in ${target}; it may hold password hashes: delete it when you are done`)
    })

  add('archive keygen')
    .description('makes an age identity, which opens archives, and shows its recipient, which seals them')
    .option(...OUT)
    .action(async ({ out }) => {
      const target = requireOut(out)
      const { identity, recipient } = await newIdentity()
      const text = `# created: ${context.now().toISOString()}\n# public key: ${recipient}\n${identity}\n`
      await writeFile(target, text, { flag: 'wx', mode: 0o600 }).catch((cause: NodeJS.ErrnoException) => {
        const reason =
          cause.code === 'EEXIST'
            ? 'is there already and is not replaced'
            : `cannot be written (${cause.code})`
        throw new UsageError(`${target} ${reason}`, { cause })
      })
      say(recipient)
    })
}

function requireFile(file: string | undefined): string {
  if (file === undefined || file === '') throw new UsageError('give one argument: the file of an archive')
  return file
}

function requireOut(out: string | undefined): string {
  if (out === undefined || out === '') throw new UsageError('--out: name the file to write')
  return out
}

const shown = (kid: string): string => (/^[\w-]{1,100}$/.test(kid) ? kid : '(unprintable)')
