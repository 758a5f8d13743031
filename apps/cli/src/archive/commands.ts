import { writeFile } from 'node:fs/promises'
import { changedParts, verifyManifest } from '@signet/file-formats/archive/manifest'
import { newIdentity } from '@signet/file-formats/archive/sealing'
import type { AddCommand, CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { keySetAt } from '../key-set.ts'
import { table } from '../output.ts'
import { documentIn, readArchive, saveWhole } from './archive-file.ts'

const IDENTITY = ['--identity <file>', 'the age identity that opens a sealed archive; it stays here'] as const
const OUT = ['-o, --out <file>', 'FILE (required); readable by the user alone'] as const

/** `archive …`: verifies, shows and opens exports on this machine, without a server. */
export function addArchiveCommands(add: AddCommand, context: CommandContext): void {
  addVerify(add, context)
  addShow(add, context)
  addOpen(add, context)
  addKeygen(add, context)
}

function addVerify(add: AddCommand, context: CommandContext): void {
  add('archive verify')
    .description('checks that an archive is unchanged since its export: each section, and the signature')
    .argument('[file]', 'FILE; - is standard input')
    .option('--keys <place>', 'the key set of the source: FILE, or https://…/oauth/v2/keys (required)')
    .option(...IDENTITY)
    .addHelpText(
      'after',
      `
The source removes a key from its key set a day after its rotation: store the key set with an archive that is kept for long.`,
    )
    .action((file, { keys, identity }) => verifyArchive({ file: requireFile(file), identity }, keys, context))
}

/** Verifies the sections of an archive and its signature; throws CommandError for the first problem. */
async function verifyArchive(
  place: Parameters<typeof readArchive>[0],
  keys: string | undefined,
  context: CommandContext,
): Promise<void> {
  if (keys === undefined) {
    throw new UsageError('--keys: name the key set of the source, a file or https://…/oauth/v2/keys')
  }
  const keySet = await keySetAt(keys, context)
  const read = await readArchive(place, {}, context)
  const { manifest: jws } = read.meta
  if (jws === undefined) throw new CommandError('refused', `${place.file} has no manifest: it is not signed`)
  const check = await verifyManifest(jws, keySet)
  if (check.outcome === 'key_unknown') {
    const message = `${place.file}: the key ${shown(check.kid)} is not in ${keys}: the key set is of another time or issuer, or meta is damaged`
    throw new CommandError('refused', message)
  }
  if (check.outcome === 'invalid') {
    throw new CommandError(
      'refused',
      `${place.file} is damaged in meta: the signature of its manifest is wrong`,
    )
  }
  const { claims: manifest, kid } = check
  const changed = changedParts(manifest, read)
  if (changed.length > 0) {
    throw new CommandError(
      'refused',
      `${place.file} is not what ${manifest.issuer} signed: ${changed.join(', ')}`,
    )
  }
  const counts = Object.entries(manifest.sections).map(([name, { count }]) => `${count} ${name}`)
  context.say(`${place.file} is whole: ${counts.join(', ')}`)
  context.say(`signed by ${manifest.issuer} with the key ${kid}, written ${manifest.createdAt}`)
}

function addShow(add: AddCommand, context: CommandContext): void {
  add('archive show')
    .description(
      'shows the organizations, sections and credentials of an archive, without any value of a credential',
    )
    .argument('[file]', 'FILE; - is standard input')
    .option(...IDENTITY)
    .action(async (file, { identity }) => {
      const summary = createArchiveSummary()
      const { meta, sections } = await readArchive({ file: requireFile(file), identity }, summary, context)
      const signed = meta.manifest === undefined ? 'not signed' : 'signed; signet archive verify checks it'
      context.say(`written by ${meta.issuer} at ${meta.createdAt}, ${signed}\n`)
      context.say(
        table([
          ['SECTION', 'RECORDS'],
          ...Object.entries(sections).map(([name, { count }]) => [name, String(count)]),
        ]),
      )
      const { shown: organizations, hidden } = summary.organizations()
      const rows = organizations.map(({ id, name, people, serviceUsers }) => [
        ...[id, name, String(people), String(serviceUsers)],
      ])
      context.say(`\n${table([['ORGANIZATION', 'NAME', 'PEOPLE', 'SERVICE USERS'], ...rows])}`)
      if (hidden > 0) context.say(`and ${hidden} more`)
      const credentials = [...summary.credentials()].map(([kind, count]) => [kind, String(count)])
      context.say(
        credentials.length === 0
          ? '\nno credentials'
          : `\n${table([['CREDENTIALS', 'COUNT'], ...credentials])}`,
      )
    })
}

function addOpen(add: AddCommand, context: CommandContext): void {
  add('archive open')
    .description('opens a sealed archive and writes its document; decompresses it, too')
    .argument('[file]', 'FILE; - is standard input')
    .option(...IDENTITY)
    .option(...OUT)
    .action(async (file, { identity, out }) => {
      const place = { file: requireFile(file), identity }
      const target = requireOut(out)
      await saveWhole(target, documentIn(place, context))
      context.say(`the document is in ${target}; it may hold password hashes: delete it when you are done`)
    })
}

function addKeygen(add: AddCommand, context: CommandContext): void {
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
      context.say(recipient)
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

const MOST_ORGANIZATIONS = 100

/** An organization of an archive. */
interface ShownOrganization {
  readonly id: string
  readonly name: string
  readonly people: number
  readonly serviceUsers: number
}

/** Counts the records and credentials of an archive; stores no credential. */
function createArchiveSummary() {
  const organizations: ShownOrganization[] = []
  const credentials = new Map<string, number>()
  let hidden = 0
  let people = 0
  let serviceUsers = 0

  const count = (kind: string, isThere: boolean) => {
    if (isThere) credentials.set(kind, (credentials.get(kind) ?? 0) + 1)
  }

  return {
    organization(members: Readonly<Record<string, unknown>>): void {
      const shown = { id: textOf(members.orgId), name: textOf(memberOf(members.org, 'name')) }
      if (organizations.length < MOST_ORGANIZATIONS) organizations.push({ ...shown, people, serviceUsers })
      else hidden += 1
      people = 0
      serviceUsers = 0
    },
    record(list: string, record: unknown): void {
      if (list === 'humanUsers') people += 1
      if (list === 'machineUsers') serviceUsers += 1
      const user = memberOf(record, 'user')
      const hash = memberOf(memberOf(user, 'hashedPassword'), 'value')
      count(`password hash ${kindOf(hash)}`, hash !== undefined)
      count('password in clear text', memberOf(user, 'password') !== undefined)
      const hasTotp = ['otpCode', 'totpDevices'].some((name) => memberOf(user, name) !== undefined)
      count('TOTP secrets of a person', hasTotp)
      const secret = [record, memberOf(record, 'app')].some(
        (part) => memberOf(part, 'clientSecretHash') !== undefined,
      )
      count('client secret hash', secret)
      const provider = memberOf(record, 'idp')
      count('secret of an identity provider', memberOf(provider, 'clientSecret') !== undefined)
      const keys = memberOf(provider, 'ownPrivateKeys')
      count('private keys at an identity provider', Array.isArray(keys) && keys.length > 0)
    },
    /** The first organizations; `hidden` is the number of the others. */
    organizations: () => ({ shown: organizations, hidden }),
    credentials: (): ReadonlyMap<string, number> => credentials,
  }
}

/** The name of the algorithm, the only part of an encoded hash that is not secret. */
function kindOf(hash: unknown): string {
  return /^\$([a-z0-9-]{1,16})\$/i.exec(textOf(hash))?.[1] ?? 'of another form'
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
