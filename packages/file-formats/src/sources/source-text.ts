import { SourceError, type SourceFile } from './conversion.ts'

/** The text of a file without its byte-order mark. Throws SourceError for a file that is larger than `most` bytes. */
export async function textOf(file: SourceFile, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of file.open()) {
    bytes += chunk.length
    if (bytes > most) throw new SourceError(`${file.name} is larger than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '')
}
