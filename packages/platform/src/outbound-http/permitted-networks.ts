import { BlockList } from 'node:net'
import { isLoopbackHost } from '@signet/protocol/loopback-host'
import { LOOPBACK } from './address-policy.ts'

/**
 * The networks beside the public Internet that may be called: those that the operator named, else loopback where the
 * issuer itself is on loopback and serves applications of the same machine.
 */
export function permittedNetworks(named: BlockList | undefined, issuer: string): BlockList {
  if (named !== undefined) return named
  return isLoopbackHost(new URL(issuer).hostname) ? LOOPBACK : new BlockList()
}
