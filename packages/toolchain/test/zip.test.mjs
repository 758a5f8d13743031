import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readZipEntry } from '../zip.mjs'

/** An archive of these files, every other one deflated, with an extra field and comments to skip. */
function archiveOf(files) {
  const locals = []
  const entries = []
  let place = 0
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    const deflated = index % 2 === 1
    const content = deflated ? deflateRawSync(text) : Buffer.from(text)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(name.length, 26)
    local.writeUInt16LE(3, 28)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(deflated ? 8 : 0, 10)
    entry.writeUInt32LE(content.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt16LE(2, 30)
    entry.writeUInt16LE(1, 32)
    entry.writeUInt32LE(place, 42)
    locals.push(local, Buffer.from(`${name}xyz`), content)
    entries.push(entry, Buffer.from(`${name}xyc`))
    place += 30 + name.length + 3 + content.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length / 2, 10)
  end.writeUInt32LE(place, 16)
  end.writeUInt16LE(7, 20)
  return Buffer.concat([...locals, ...entries, end, Buffer.from('comment')])
}

const archive = archiveOf({ 'a/stored': 'one', 'a/deflated': 'two'.repeat(100), last: 'three' })

it('reads stored and deflated files', () => {
  expect(readZipEntry(archive, 'a/stored').toString()).toBe('one')
  expect(readZipEntry(archive, 'a/deflated').toString()).toBe('two'.repeat(100))
  expect(readZipEntry(archive, 'last').toString()).toBe('three')
})

it('says what is missing', () => {
  expect(() => readZipEntry(archive, 'other')).toThrow('the archive has no other')
  expect(() => readZipEntry(Buffer.from('not an archive'), 'a')).toThrow('this is no ZIP archive')
})
