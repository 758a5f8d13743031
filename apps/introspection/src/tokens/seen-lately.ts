const PLACES = 2 ** 16
/** Of a token: its end is the tag of a seal or a signature, as good as random. */
const CHARACTERS = 24

/**
 * Answers whether a token was asked about lately. It may have forgotten, and takes one token for another once in some
 * billions: good enough to decide what is worth remembering, and for nothing else. It takes 256 KiB.
 */
export function seenLately(): (token: string) => boolean {
  const marks = new Int32Array(PLACES)
  return (token) => {
    const mark = markOf(token)
    const place = mark & (PLACES - 1)
    const known = marks[place] === mark
    marks[place] = mark
    return known
  }
}

/** FNV-1a, 32 bits, of the last characters. */
function markOf(token: string): number {
  let mark = 0x811c9dc5
  for (let at = Math.max(0, token.length - CHARACTERS); at < token.length; at += 1) {
    mark = Math.imul(mark ^ token.charCodeAt(at), 0x01000193)
  }
  return mark | 0
}
