// The pages of devices (RFC 8628): a person enters a code, and reads how the request ended.
import type { Router } from 'express'
import { deviceRoute } from './device.routes.ts'
import { createOpenDevice } from './open-device.service.ts'

type DeviceParts = Omit<Parameters<typeof deviceRoute>[0], 'openDevice'> & {
  readonly deviceFlow: Pick<Parameters<typeof createOpenDevice>[0], 'requests' | 'pendingAuthorizations'>
} & Omit<Parameters<typeof createOpenDevice>[0], 'requests' | 'pendingAuthorizations'>

/** Creates the routes of devices. */
export const createDeviceRoutes = (parts: DeviceParts): readonly Router[] => [
  deviceRoute({ ...parts, openDevice: createOpenDevice({ ...parts, ...parts.deviceFlow }) }),
]
