/** Features of the instance that discovery shows while they are in use. */
export const NOTHING_SHOWN = {
  /** The instance takes pushed authorization requests only. */
  requirePushedAuthorization: false,
  /** An active application has the device authorization grant. */
  hasDeviceGrant: false,
  /** An active application reaches other authorization servers by identity assertions. */
  issuesIdentityAssertions: false,
  /** An active identity provider is trusted for them. */
  takesIdentityAssertions: false,
}

export type InstanceFeatures = Readonly<typeof NOTHING_SHOWN>

const SHOWN = Object.keys(NOTHING_SHOWN) as readonly (keyof InstanceFeatures)[]

/** The same without other members. */
export function instanceFeatures(state: InstanceFeatures): InstanceFeatures {
  return Object.fromEntries(SHOWN.map((name) => [name, state[name]])) as InstanceFeatures
}
