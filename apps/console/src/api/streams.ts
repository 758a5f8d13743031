/**
 * Returns the first lines of a stream of text that are not empty, at most `most`. Cancels the stream when it has more, so that a
 * long document is neither fetched nor kept.
 */
export async function firstLines(stream: ReadableStream<Uint8Array>, most: number): Promise<string[]> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const lines: string[] = []
  let rest = ''
  while (lines.length < most) {
    const { done, value } = await reader.read()
    const pieces = (rest + decoder.decode(value, { stream: !done })).split('\n')
    rest = done ? '' : (pieces.pop() ?? '')
    lines.push(...pieces.filter(Boolean))
    if (done) return lines.slice(0, most)
  }
  await reader.cancel()
  return lines.slice(0, most)
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN, CLOSE] = [...'"\\[]{}'].map((sign) =>
  sign.charCodeAt(0),
)
const WHITE_SPACE = [...' \t\r\n'].map((sign) => sign.charCodeAt(0))

/**
 * Returns whether a text is one JSON object and nothing after it, as far as braces and strings tell: a text for which this is
 * true can stand as the value of a member, and cannot add members beside itself. Reads in constant memory.
 */
export async function isOneObject(stream: ReadableStream<Uint8Array>): Promise<boolean> {
  let [depth, isInString, isEscaped, hasEnded] = [0, false, false, false]
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return hasEnded
    for (const byte of value) {
      if (isEscaped) isEscaped = false
      else if (isInString) {
        if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (depth === 0) {
        if (WHITE_SPACE.includes(byte)) continue
        if (hasEnded || byte !== OPEN) {
          await reader.cancel()
          return false
        }
        depth = 1
      } else if (byte === QUOTE) isInString = true
      else if (byte === OPEN || byte === OPEN_BRACKET) depth += 1
      else if (byte === CLOSE || byte === CLOSE_BRACKET) {
        depth -= 1
        hasEnded = depth === 0
      }
    }
  }
}
