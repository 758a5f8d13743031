import { defineKeyspaces } from '@signet/platform/redis/keyspaces'
import { DEVICE_LIFETIME_SECONDS } from '@signet/protocol/device-authorization'

/** The Redis keys of this service beside the log of endings and the records of used proofs. */
export const keyspaces = defineKeyspaces('token', {
  device: {
    pattern: 'device:{handle}',
    ttlSeconds: DEVICE_LIFETIME_SECONDS,
    holds:
      'the state of a device authorization request, with the sealed code of its approval; {handle} is the SHA-256 of the device code; lost, the device begins again',
  },
  deviceApprovalsEnd: {
    pattern: 'device-approvals-end:{userId}:{clientId}',
    ttlSeconds: DEVICE_LIFETIME_SECONDS,
    holds:
      'when a person ended the access of an application: earlier approvals of devices do not count; lost with the approvals',
  },
})
