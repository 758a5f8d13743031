import { type Delivery, PostgresOutbox } from '@signet/platform/outbox/outbox.repository'
import type { Database } from '@signet/platform/postgres/pool'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'

/** A logout token to send: one session, one application. */
export interface LogoutDelivery extends Delivery {
  readonly sid: string
  readonly userId: string
  readonly clientId: string
  readonly uri: string
  readonly signingAlg: SigningAlgorithm
}

/** The logout tokens still to be sent. The transaction that ends a session adds its rows. */
export function createLogoutOutbox(database: Database): PostgresOutbox<LogoutDelivery> {
  return new PostgresOutbox(database, {
    table: 'grants.logout_delivery',
    statement: 'logout_delivery',
    // The host of the URI: without user info, port and query, and in lower case, so that one host is one receiver.
    receiver: `lower(regexp_replace(split_part(split_part(uri, '/', 3), '?', 1), '^.*@|:[0-9]*$', '', 'g'))`,
    columns: 'd.sid, d.user_id AS "userId", d.client_id AS "clientId", d.uri, d.signing_alg AS "signingAlg"',
  })
}
