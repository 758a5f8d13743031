import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { StartFailure } from '@signet/service-runtime/start-failure'

type Password = { reveal(): string }

const ANSWER_DEADLINE_MS = 1_000
const STOP_DEADLINE_MS = 30_000
const POLL_MS = 25

/** Whether a server on that port takes the password and has its data loaded. */
export async function redisAnswers(port: number, password: Password): Promise<boolean> {
  return (await converse(port, password, 'PING')).endsWith('+PONG\r\n')
}

/**
 * Stops the server that an earlier, killed owner left on `port`. Only our own server takes our random password,
 * so whatever else listens there now is left alone.
 */
export async function stopOrphanedRedis(port: number, password: Password): Promise<void> {
  if (!Number.isInteger(port) || port <= 0) return
  const answer = await converse(port, password, 'SHUTDOWN NOSAVE')
  if (!answer.startsWith('+OK\r\n')) return
  for (let waitedMs = 0; await redisAnswers(port, password); waitedMs += POLL_MS) {
    if (waitedMs > STOP_DEADLINE_MS) {
      throw new StartFailure(`an earlier Redis on port ${port} does not stop; end it and start again`)
    }
    await pause(POLL_MS)
  }
}

/** Sends the password and one command as inline commands and returns what comes back; empty when nobody answers. */
async function converse(port: number, password: Password, command: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.setTimeout(ANSWER_DEADLINE_MS, () => socket.destroy())
  let answer = ''
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1')
    if (answer.split('\r\n').length > 2) socket.destroy()
  })
  try {
    await once(socket, 'connect')
    socket.write(`AUTH ${password.reveal()}\r\n${command}\r\n`)
    await once(socket, 'close')
  } catch {
    socket.destroy()
  }
  return answer
}
