// Whose colours a page has (docs/guides/branding.md).
import type { LabelColours, PrivateLabelingSetting } from '@signet/protocol/label-colours'

/** Whose sign-in a page belongs to. */
export interface SignInContext {
  /** The organization that the scopes of the request name. */
  readonly organizationId: string | undefined
  /** The project of the application. */
  readonly projectId: string | null
  /** The organization of the user, once the user is known. */
  readonly userOrganizationId: string | undefined
}

/** Finds the colours of pages. A page whose colours cannot be read has the defaults. */
export interface FindColours {
  /** Those of the account pages of the members of an organization. */
  ofOrganization(organizationId: string): Promise<LabelColours>
  ofSignIn(context: SignInContext): Promise<LabelColours>
}

/** The colours, projects and default organization of the directory. */
export interface ColourDirectory {
  colours(organizationId: string): Promise<LabelColours>
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

export function createFindColours(directory: ColourDirectory): FindColours {
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

  async function orDefaults(work: () => Promise<LabelColours>): Promise<LabelColours> {
    try {
      return await work()
    } catch {
      return {}
    }
  }

  return {
    ofOrganization: (organizationId) => orDefaults(() => directory.colours(organizationId)),
    ofSignIn: (context) =>
      orDefaults(async () => {
        const organizationId = await organizationOf(context)
        return organizationId === undefined ? {} : directory.colours(organizationId)
      }),
  }
}
