/** Names a caller where there is no certificate to prove it: on loopback only. */
export const CALLER_HEADER = 'signet-caller'
/** Joins the log lines of one request across services. */
export const REQUEST_ID_HEADER = 'x-request-id'
/** W3C Trace Context: the span of the caller that the callee's is below. */
export const TRACE_HEADER = 'traceparent'
