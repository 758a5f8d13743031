import { rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLogger } from '@signet/platform/logger/logger'
import { type PlaceRecord, placesFile } from '@signet/testing/places-file'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPlaces, type Places } from '../src/places.ts'

const MUNICH: PlaceRecord = {
  city: { names: { en: 'Munich', de: 'München' } },
  country: { iso_code: 'DE', names: { en: 'Germany', de: 'Deutschland' } },
}
const RECORDS: Readonly<Record<string, PlaceRecord>> = {
  '81.2.69.0/24': MUNICH,
  '89.160.20.128/25': { country: { iso_code: 'SE', names: { en: 'Sweden' } } },
  '10.0.0.0/8': MUNICH,
  // The first 32 bits of 2a00:1450::1.
  '42.0.20.0/24': MUNICH,
}

let folder: string
let places: Places
const write = async (name: string, bytes: Buffer | string) => {
  const file = join(folder, name)
  await writeFile(file, bytes)
  return file
}
beforeAll(async () => {
  folder = await temporaryFolder('places')
  places = openPlaces(await write('places.mmdb', placesFile(RECORDS)), silentLogger, 20)
})
afterAll(async () => {
  await places?.stop()
  await rm(folder, { recursive: true })
})

it('names city and country in the language, else in English, and the country by its code', () => {
  expect(places.find('81.2.69.160', 'de')).toBe('München, Deutschland')
  expect(places.find('81.2.69.160', 'en')).toBe('Munich, Germany')
  expect(places.find('81.2.69.160', 'fr')).toBe('Munich, Allemagne')
  expect(places.find('89.160.20.200', 'de')).toBe('Schweden')
})

it.each(['89.160.20.1', '10.1.2.3', '127.0.0.1', '2001:db8::1', '2a00:1450::1', 'unknown', ''])(
  'names no place of %j',
  (address) => {
    expect(places.find(address, 'en')).toBeUndefined()
  },
)

it('names none without a file', () => {
  expect(openPlaces(undefined, silentLogger).find('81.2.69.160', 'en')).toBeUndefined()
})

it('refuses a file that is missing, of another format or without places', async () => {
  const open = (file: string) => () => openPlaces(file, silentLogger)
  expect(open(join(folder, 'none.mmdb'))).toThrow(/SIGNET_PLACES_FILE names .*ENOENT/)
  const text = await write('text.mmdb', 'no database')
  expect(open(text)).toThrow("which cannot be used: it is no database in MaxMind's format")
  expect(open(folder)).toThrow('which cannot be used: it is no file')
  const large = await write('large.mmdb', '')
  await truncate(large, 2 ** 29 + 1)
  expect(open(large)).toThrow('which cannot be used: it has more than 512 MiB')
  const asn = await write('asn.mmdb', placesFile(RECORDS, 'GeoLite2-ASN'))
  expect(open(asn)).toThrow('it is a database of GeoLite2-ASN, and not of cities or countries')
})

it('reads a changed file again, and keeps the former one while the new one is broken', async () => {
  const file = join(folder, 'places.mmdb')
  const replace = async (bytes: Buffer | string) => rename(await write('new.mmdb', bytes), file)
  await replace('broken')
  await replace(placesFile({ '81.2.69.0/24': { country: { iso_code: 'FR', names: { en: 'France' } } } }))
  await expect.poll(() => places.find('81.2.69.160', 'en')).toBe('France')
  await replace('broken again')
  await expect.poll(() => places.find('81.2.69.160', 'en')).toBe('France')
})
