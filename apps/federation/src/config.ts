import type { BlockList } from 'node:net'
import { type Environment, readSettings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'

export interface FederationConfig {
  /** Public origin of the suite: redirect URIs begin with it. */
  readonly issuer: string
  /** Newest first: the first seals, all of them open. */
  readonly masterKeys: Secret<readonly Buffer[]>
  /** Networks beside the public Internet where identity providers may be. */
  readonly outboundAllow: BlockList
}

/** Reads the settings of this service. Throws ConfigurationError with every problem. */
export function readFederationConfig(env: Environment): FederationConfig {
  const settings = readSettings(
    env,
    ['SIGNET_ISSUER', 'SIGNET_FEDERATION_MASTER_KEY'],
    ['SIGNET_OUTBOUND_ALLOW'],
  )
  return {
    issuer: settings.SIGNET_ISSUER,
    masterKeys: settings.SIGNET_FEDERATION_MASTER_KEY,
    outboundAllow: permittedNetworks(settings.SIGNET_OUTBOUND_ALLOW, settings.SIGNET_ISSUER),
  }
}
