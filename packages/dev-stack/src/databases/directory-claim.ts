import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartFailure } from '@signet/platform/process/service'

export interface DirectoryClaim {
  release(): Promise<void>
}

// The shortest limit of a socket path among the systems we run on (macOS), its closing zero included.
const MAX_SOCKET_PATH_BYTES = 104

/**
 * Makes this process the one owner of a directory until it ends or releases it. The claim is a listening
 * socket, so a killed owner leaves nothing that looks alive. Throws StartFailure while another process owns it.
 */
export async function claimDirectory(directory: string, purpose: string): Promise<DirectoryClaim> {
  const path = socketPath(directory, purpose)
  if (await answers(path)) {
    throw new StartFailure(
      `${directory} is in use by another running process; stop that one or choose another data directory`,
    )
  }
  await rm(path, { force: true })
  const server = createServer((socket) => socket.destroy())
  server.listen(path)
  await once(server, 'listening')
  server.unref()
  return { release: () => new Promise((released) => server.close(() => released())) }
}

function socketPath(directory: string, purpose: string): string {
  const inside = join(directory, `${purpose}.claim`)
  if (Buffer.byteLength(inside) < MAX_SOCKET_PATH_BYTES) return inside
  const name = createHash('sha256').update(inside).digest('hex').slice(0, 24)
  return join(tmpdir(), `signet-${name}.claim`)
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
