import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/**
 * Watches the server at `redis://`. Over a connection of our own: a client that expects responses to its own commands
 * takes a foreign command that arrives together with the response to MONITOR for an error.
 */
export async function watchRedis(url: { reveal(): string }) {
  const { hostname, port, username, password } = new URL(url.reveal())
  const orders = [
    ...(password ? [`AUTH ${username || 'default'} ${decodeURIComponent(password)}`] : []),
    'MONITOR',
  ]
  const socket = connect(Number(port), hostname)
  const lines: string[] = []
  const reader = createInterface(socket).on('line', (line) => lines.push(line))
  socket.write(orders.map((order) => `${order}\r\n`).join(''))
  while (lines.length < orders.length) await once(reader, 'line')
  const answers = lines.splice(0, orders.length)
  if (answers.some((answer) => answer !== '+OK'))
    throw new Error(`Redis does not let itself be watched: ${answers.join()}`)
  return {
    /** Every command that the server carried out, those of scripts included, with all arguments. */
    commands: () => lines.map(argumentsOf),
    stop: () => void socket.destroy(),
  }
}

/** Returns the arguments of a line such as `+1700000000.000001 [0 127.0.0.1:1] "SET" "name" "\x00"`. */
function argumentsOf(line: string): string {
  const quoted = line.match(/"(?:[^"\\]|\\.)*"/g) ?? []
  // JSON knows neither \x41 nor \a.
  const asJson = (escaped: string, hex?: string) =>
    hex ? `\\u00${hex}` : escaped === '\\a' ? '\\u0007' : escaped
  return quoted.map((text) => JSON.parse(text.replace(/\\(?:x([0-9a-f]{2})|.)/g, asJson))).join(' ')
}
