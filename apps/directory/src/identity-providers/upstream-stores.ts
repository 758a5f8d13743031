import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Statement } from '@signet/platform/postgres/pool'
import type { AccountStore } from '../accounts/account.repository.ts'
import type { UserGrantStore } from '../grants/user-grant.repository.ts'
import type { Notice } from '../mail/notices.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import type { IdentityLinkStore } from './identity-link.repository.ts'
import type { UpstreamAccountStore } from './upstream-account.repository.ts'

/** The stores of a sign-in by a provider, on one transaction. */
export interface UpstreamStores {
  readonly accounts: AccountStore
  readonly domains: DomainStore
  readonly links: IdentityLinkStore
  readonly upstream: UpstreamAccountStore
  readonly userGrants: UserGrantStore
  isUserNameTaken(organizationId: string, userName: string): Promise<boolean>
  record(event: AuditEvent): Promise<void>
  requestNotice(notice: Notice): Promise<void>
  /** Runs the last statements, stores the event and commits, in one round trip; a trial commits nothing. No other call follows. */
  finish(event: AuditEvent, ...statements: readonly Statement[]): Promise<void>
}

/** Commits what `work` did when it resolves, and nothing when it throws. */
export type UpstreamTransact = <T>(work: (stores: UpstreamStores) => Promise<T>) => Promise<T>
