const PLACES = 2 ** 16
/** Of a token: its end is the tag of a seal or a signature, as good as random. */
const CHARACTERS = 24

/**
 * Returns whether a token was checked recently. It may miss some, and confuses two tokens once in some billions: good
 * enough to decide which tokens to cache, and for nothing else. It takes 256 KiB.
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
