import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { MayCall } from './address-policy.ts'
import { OutboundError } from './outbound-error.ts'

/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** The resolver of the machine itself: its hosts file and its name servers. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * A lookup for `net.connect` that leaves only addresses that may be called. The connection is made to one of those,
 * without asking a second time: a name that has changed meanwhile (DNS rebinding) changes nothing.
 */
export function guardedLookup(mayCall: MayCall, resolve: Resolve): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const permitted = addresses.filter(({ address }) => mayCall(address))
        const [first] = permitted
        if (first === undefined) callback(refusal(), '')
        else if (all) callback(null, permitted)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

export function refusal(): OutboundError {
  return new OutboundError('the host has no address that may be called; see SIGNET_OUTBOUND_ALLOW', {
    reason: 'address_refused',
  })
}
