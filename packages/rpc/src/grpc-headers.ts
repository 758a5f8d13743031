/** Names a caller where there is no certificate to prove it: on loopback only. */
export const CALLER_HEADER = 'signet-caller'
/** Joins the log lines of one request across services. */
export const REQUEST_ID_HEADER = 'x-request-id'
