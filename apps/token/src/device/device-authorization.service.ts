// Device Authorization Grant (RFC 8628): a device asks for tokens again and again until a person has answered in a browser.
//
// Login shows the pages and calls begin, approve and deny; the grant of the token endpoint polls. Redis holds the state under the
// hash of the device code, so a loss of Redis ends the request. An approval is an authorization code that is sealed for this
// device code: no record of Redis is believed about a person, and PostgreSQL lets the code be redeemed once.
import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import { DEVICE_LIFETIME_SECONDS } from '@signet/protocol/device-authorization'
import { deviceEvent } from '../audit-events.ts'
import type { AuthorizedRequest, SealCode } from '../issuance/code.ts'

/** The state of a request, as its device hears it. */
export type DeviceState =
  | { readonly kind: 'pending' | 'denied' | 'slow_down' | 'of_other_client' }
  /** Unknown, too old, or lost with Redis. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'approved'; readonly code: string }

interface DeviceAnswer {
  /** The sealed code of an approval; undefined: denied. */
  readonly code: string | undefined
  /** Repetitions of the answer in this session succeed. */
  readonly sid: string
}

/** Holds the requests of devices for all replicas. */
export interface DeviceStore {
  begin(device: { readonly handle: string; readonly clientId: string }, expiresAt: Date): Promise<void>
  /** Returns true to exactly one of any number of different answers, and false where the request is gone. */
  answer(handle: string, answer: DeviceAnswer, now: Date): Promise<boolean>
  /**
   * Returns the state for this client and counts the request: the next one that comes before the interval is over gets
   * `slow_down`, and the interval grows by five seconds for good (RFC 8628 section 3.5).
   */
  poll(device: { readonly handle: string; readonly clientId: string }, now: Date): Promise<DeviceState>
  /** Ends the approvals that a person has given an application so far: an approval waits ten minutes, and is no grant yet. */
  endApprovals(of: ApprovalsOf, now: Date): Promise<void>
  /** When the last such ending was; undefined for none that can matter. */
  findApprovalsEnd(of: ApprovalsOf): Promise<Date | undefined>
}

interface ApprovalsOf {
  readonly userId: string
  readonly clientId: string
}

interface DeviceRequest {
  readonly handle: string
  /** Network address of the browser in which the person answers. */
  readonly clientAddress: string
}

type Outcome = 'answered' | 'gone'

/** The answers of people to the requests of devices. */
export interface DeviceAuthorizations {
  begin(device: { readonly handle: string; readonly clientId: string }): Promise<void>
  /** Throws what `SealCode` throws. */
  approve(request: DeviceRequest & AuthorizedRequest): Promise<Outcome | 'client_unknown' | 'too_long'>
  deny(request: DeviceRequest & Pick<AuthorizedRequest, 'clientId' | 'scopes' | 'session'>): Promise<Outcome>
}

interface Dependencies {
  readonly devices: DeviceStore
  readonly sealCode: SealCode
  readonly audit: AuditRecorder
  readonly now: () => Date
}

export function createDeviceAuthorizations({
  devices,
  sealCode,
  audit,
  now,
}: Dependencies): DeviceAuthorizations {
  /** Recorded first: an approval without its event must not happen, an event whose answer came too late may. */
  async function answer(
    request: Parameters<DeviceAuthorizations['deny']>[0],
    code: string | undefined,
  ): Promise<Outcome> {
    await audit.record(deviceEvent(code === undefined ? 'device.deny' : 'device.approve', request))
    const { sid } = request.session
    return (await devices.answer(request.handle, { code, sid }, now())) ? 'answered' : 'gone'
  }

  return {
    begin: (device) => devices.begin(device, new Date(now().getTime() + DEVICE_LIFETIME_SECONDS * 1000)),
    async approve(request) {
      const { handle, clientAddress: _, ...authorized } = request
      const sealed = await sealCode(authorized, { device: handle }, DEVICE_LIFETIME_SECONDS)
      return sealed.outcome === 'issued' ? answer(request, sealed.code) : sealed.outcome
    },
    deny: (request) => answer(request, undefined),
  }
}
