import type { RefusalEvent } from '@signet/service/refusal-reporter'

/** The services that refuse requests of clients. */
export const REFUSING_SERVICES = ['login', 'token', 'introspection', 'directory'] as const
export type RefusingService = (typeof REFUSING_SERVICES)[number]

/** An event to store, and the service whose rule it is. */
export type NewRefusal = RefusalEvent & { readonly service: RefusingService }

/** A stored refusal, as administrators read it. */
export interface StoredRefusal {
  readonly id: string
  readonly at: Date
  readonly requestId: string
  readonly service: RefusingService
  readonly result: 'refused' | 'changed'
  readonly reason: string
  /** Id of the client, or of the initial access token of a registration (RFC 7591). */
  readonly clientId: string
  /** Absent for a service user and an initial access token. */
  readonly applicationId?: string | undefined
  /** The organization of the client. */
  readonly organizationId?: string | undefined
  readonly userId?: string | undefined
  readonly clientAddress?: string | undefined
  readonly values: Readonly<Record<string, string>>
}

/** The requests, applications, people and identity providers whose refusals are wanted; all conditions hold. */
export interface RefusalFilter {
  readonly requestId?: string | undefined
  /** The id or the client id of an application, or the client id of a service user. */
  readonly application?: string | undefined
  readonly user?: string | undefined
  /** The id of an identity provider. */
  readonly provider?: string | undefined
}

/** The refusals that a caller may read. */
export interface RefusalReach {
  readonly isInstanceReader: boolean
  /** Ids of organizations whose applications and identity providers the caller may read. */
  readonly ofApplications: readonly string[]
  /** Ids of projects whose applications the caller may read. */
  readonly ofProjects: readonly string[]
  /** Ids of organizations whose people the caller may read. */
  readonly ofPeople: readonly string[]
}
