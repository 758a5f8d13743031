// Takes single files out of ZIP archives, for which Node.js has no command and systems not always one.
import { inflateRawSync } from 'node:zlib'
import { Problem } from './project.mjs'

const END = 0x06054b50
const ENTRY = 0x02014b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const STORED = 0

/**
 * The content of the file `name` in an archive of less than 4 GiB (APPNOTE.TXT sections 4.3.7 to 4.3.16).
 * @param {Buffer} archive
 * @param {string} name
 * @returns {Buffer}
 */
export function readZipEntry(archive, name) {
  let end = archive.length - END_BYTES
  while (end >= 0 && archive.readUInt32LE(end) !== END) end -= 1
  if (end < 0) throw new Problem('this is no ZIP archive')
  const count = archive.readUInt16LE(end + 10)
  let place = archive.readUInt32LE(end + 16)
  for (let index = 0; index < count && archive.readUInt32LE(place) === ENTRY; index += 1) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((at) => archive.readUInt16LE(place + at))
    if (archive.toString('utf8', place + ENTRY_BYTES, place + ENTRY_BYTES + (nameBytes ?? 0)) === name) {
      return contentOf(archive, place)
    }
    place += ENTRY_BYTES + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0)
  }
  throw new Problem(`the archive has no ${name}`)
}

/** @param {Buffer} archive @param {number} entry */
function contentOf(archive, entry) {
  const method = archive.readUInt16LE(entry + 10)
  const bytes = archive.readUInt32LE(entry + 20)
  const local = archive.readUInt32LE(entry + 42)
  const start = local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  const content = archive.subarray(start, start + bytes)
  return method === STORED ? content : inflateRawSync(content)
}
