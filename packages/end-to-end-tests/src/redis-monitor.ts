import { Redis } from 'ioredis'

/** Every command that a Redis server carries out, those of scripts included, with all arguments. */
export interface RedisMonitor {
  commands(): readonly string[]
  stop(): void
}

export async function watchRedis(url: { reveal(): string }): Promise<RedisMonitor> {
  // A server that ends takes this with it.
  const connection = new Redis(url.reveal(), { retryStrategy: () => null })
  const monitor = await connection.monitor()
  const commands: string[] = []
  monitor.on('monitor', (_time: string, args: readonly string[]) => commands.push(args.join(' ')))
  return {
    commands: () => commands,
    stop() {
      monitor.disconnect()
      connection.disconnect()
    },
  }
}
