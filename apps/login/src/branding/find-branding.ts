// Whose branding a page has (docs/guides/branding.md).
import type { Branding, BrandingContent } from '@signet/directory-reader/branding'
import type { Logger } from '@signet/platform/logger/logger'
import type { PrivateLabelingSetting } from '@signet/protocol/label-colours'

/** Context that determines the branding of a page of a sign-in. */
export interface SignInContext {
  /** The organization that the scopes of the request name. */
  readonly organizationId: string | undefined
  /** The project of the application. */
  readonly projectId: string | null
  /** The organization of the user, once the user is known. */
  readonly userOrganizationId: string | undefined
}

/** Finds the branding of pages; undefined is the branding of Signet, which a page also has when the read fails. */
export interface FindBranding {
  /** Finds the branding of the account pages of the members of an organization. */
  ofOrganization(organizationId: string): Promise<Branding | undefined>
  ofSignIn(context: SignInContext): Promise<Branding | undefined>
}

/** A file that an organization has now, by SHA-256 of its content. */
export type FindBrandingFile = (sha256: string) => Promise<BrandingContent | undefined>

/** The branding, projects and default organization of the directory. */
export interface BrandingDirectory {
  branding(organizationId: string): Promise<Branding | undefined>
  /** The organization and the setting of a project. */
  project(projectId: string): Promise<
    | {
        readonly organizationId: string
        readonly privateLabelingSetting: PrivateLabelingSetting | null
      }
    | undefined
  >
  defaultOrganizationId(): Promise<string | undefined>
}

export function createFindBranding(directory: BrandingDirectory, logger: Logger): FindBranding {
  async function organizationOf(context: SignInContext): Promise<string | undefined> {
    if (context.organizationId !== undefined) return context.organizationId
    const project = context.projectId === null ? undefined : await directory.project(context.projectId)
    switch (project?.privateLabelingSetting) {
      case 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY':
        return project.organizationId
      case 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY':
        return context.userOrganizationId ?? project.organizationId
      default:
        return directory.defaultOrganizationId()
    }
  }

  async function orDefaults(work: () => Promise<Branding | undefined>): Promise<Branding | undefined> {
    try {
      return await work()
    } catch (error) {
      logger.warn('branding_unavailable', { error })
      return undefined
    }
  }

  return {
    ofOrganization: (organizationId) => orDefaults(() => directory.branding(organizationId)),
    ofSignIn: (context) =>
      orDefaults(async () => {
        const organizationId = await organizationOf(context)
        return organizationId === undefined ? undefined : directory.branding(organizationId)
      }),
  }
}
