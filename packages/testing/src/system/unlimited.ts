/** All people and clients of a test share one address: the limits of a network would be limits of the test. */
export const UNLIMITED = { SIGNET_RATE_LIMIT_SIGN_IN: '0', SIGNET_RATE_LIMIT_PUBLIC: '0' }
