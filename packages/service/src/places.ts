import { readFileSync, type Stats, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { BlockList, isIPv6 } from 'node:net'
import type { Logger } from '@signet/platform/logger/logger'
import { createAddressPolicy } from '@signet/platform/outbound-http/address-policy'
import { StartFailure } from '@signet/platform/process/service'
import { repeat } from '@signet/platform/runtime/clock'
import { type CityResponse, Reader } from 'maxmind'

/** The places of network addresses, by the database of SIGNET_PLACES_FILE. */
export interface Places {
  /** Returns city and country in a language, such as `Berlin, Germany`; undefined for an address without a place. */
  find(address: string, language: string): string | undefined
  stop(): Promise<void>
}

type Names = Readonly<Record<string, string>>

/** A new database is copied to its place a few times a week. */
const EVERY_MS = 30_000

const isPublic = createAddressPolicy(new BlockList())

/**
 * Reads a database in MaxMind's format, and reads it again after the file has changed; one that is broken then leaves the former
 * in use. Without a file no address has a place. Throws StartFailure for a file that is missing or has no places.
 */
export function openPlaces(file: string | undefined, logger: Logger, everyMs = EVERY_MS): Places {
  if (file === undefined) return { find: () => undefined, stop: async () => undefined }
  let { reader, version } = readAtStart(file)
  let told = ''
  const round = async () => {
    const found = requireReadable(await stat(file))
    if (found === version) return
    reader = readDatabase(await readFile(file))
    version = found
    told = ''
    logger.info('places_renewed')
  }
  const rounds = repeat(everyMs, round, (error) => {
    const { message } = error as Error
    if (told !== message) logger.warn('places_unusable', { error })
    told = message
  })
  return {
    find: (address, language) => (isPublic(address) ? placeText(reader, address, language) : undefined),
    stop: () => rounds.stop(),
  }
}

function readAtStart(file: string) {
  try {
    const version = requireReadable(statSync(file))
    return { reader: readDatabase(readFileSync(file)), version }
  } catch (cause) {
    const { message } = cause as Error
    throw new StartFailure(`SIGNET_PLACES_FILE names ${file}, which cannot be used: ${message}`)
  }
}

/** Several times that of the largest database of cities. A process holds the whole file. */
const MOST_MIB = 512

/** Returns the version of a file. Throws for one that is not read into memory. */
function requireReadable(stats: Stats): string {
  const { mtimeMs, size, ino } = stats
  if (!stats.isFile()) throw new Error('it is no file')
  if (size > MOST_MIB * 2 ** 20) throw new Error(`it has more than ${MOST_MIB} MiB`)
  return `${mtimeMs} ${size} ${ino}`
}

function readDatabase(bytes: Buffer): Reader<CityResponse> {
  const reader = openDatabase(bytes)
  if (!/city|country|enterprise|location/i.test(reader.metadata.databaseType))
    throw new Error(`it is a database of ${reader.metadata.databaseType}, and not of cities or countries`)
  return reader
}

function openDatabase(bytes: Buffer): Reader<CityResponse> {
  try {
    return new Reader<CityResponse>(bytes)
  } catch (cause) {
    throw new Error("it is no database in MaxMind's format", { cause })
  }
}

const COMMAS: Readonly<Record<string, string>> = { ar: '، ', ja: '、' }

function placeText(reader: Reader<CityResponse>, address: string, language: string): string | undefined {
  const found = findRecord(reader, address)
  const { country } = found ?? {}
  const parts = [
    nameIn(found?.city?.names, language),
    nameIn(country?.names, language, regionName(country?.iso_code, language)),
  ].filter((name) => name !== undefined)
  if (parts.length === 0) return undefined
  return parts.join(COMMAS[language] ?? ', ')
}

/** No record for an IPv6 address in a database of IPv4, and where one is broken: a place is never worth a failure. */
function findRecord(reader: Reader<CityResponse>, address: string): CityResponse | null {
  // The reader would take its first 32 bits for an IPv4 address.
  if (reader.metadata.ipVersion === 4 && isIPv6(address)) return null
  try {
    return reader.get(address)
  } catch {
    return null
  }
}

/** The name in a language; else `other`, else the English one. */
function nameIn(names: object | undefined, language: string, other?: string): string | undefined {
  const known = names as Names | undefined
  const name = known?.[language] ?? other ?? known?.en
  return typeof name === 'string' && name !== '' ? name : undefined
}

function regionName(isoCode: string | undefined, language: string): string | undefined {
  if (isoCode === undefined || !/^[A-Z]{2}$/.test(isoCode)) return undefined
  return new Intl.DisplayNames([language], { type: 'region', fallback: 'none' }).of(isoCode)
}
