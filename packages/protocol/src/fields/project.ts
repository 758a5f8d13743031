import { everywhere, type Fields, inApi } from './field.ts'

const LABELING = 'Whose colours the sign-in pages have when the request names no organization'

/**
 * The fields of a project. The management API, the bootstrap file, the export format, imports, exports and undo derive from
 * this table. A new flag needs a row here, a migration with the column and the view `directory_read.project_v1`, and the code
 * that reads it there.
 */
export const PROJECT_FIELDS = {
  name: { kind: 'name', column: 'name' },
  /** Acts in userinfo and introspection alone. Tokens follow `accessTokenRoleAssertion` and `idTokenRoleAssertion` of the application. */
  projectRoleAssertion: {
    kind: 'flag',
    column: 'project_role_assertion',
    default: false,
    description: inApi('Userinfo and introspection show the roles although the scope does not ask for them.'),
  },
  /** Acts in `projectRefusal` and its form in SQL, `projectsAdmitUserSql`; so does the next one. */
  projectRoleCheck: {
    kind: 'flag',
    column: 'project_role_check',
    default: false,
    description: everywhere('Only users with a role in the project may sign in.'),
  },
  hasProjectCheck: {
    kind: 'flag',
    column: 'has_project_check',
    default: false,
    description: everywhere('Only users of an organization that has the project may sign in.'),
  },
  /** Acts in `DirectoryReader.allowsAudience`. */
  allowedAudiences: {
    kind: 'clientIds',
    column: 'allowed_audiences',
    default: [],
    description: everywhere(
      'Client ids of applications of other organizations that may name the project as an audience.',
    ),
  },
  /** Acts in `DirectoryReader.projectOfResource` and `withResourceUris`. */
  resourceUri: {
    kind: 'resourceUri',
    column: 'resource_uri',
    optional: true,
    description: everywhere(
      'The URI of the API of the project (RFC 8707): requests name it by the parameter resource, and access tokens for the project have it in aud. No two projects of an instance have the same one.',
    ),
  },
  /** Acts in `requireDetails`, and on the consent page. */
  authorizationDetailTypes: {
    kind: 'detailTypes',
    column: 'authorization_detail_types',
    default: {},
    description: everywhere(
      'The types of authorization details (RFC 9396) of the API of the project, by the names that authorization_details has in type. No two projects of an instance have the same one. A schema is JSON Schema without $ref and regular expressions.',
    ),
  },
  /** Acts where the sign-in pages choose their branding. */
  privateLabelingSetting: {
    kind: 'privateLabeling',
    column: 'private_labeling_setting',
    default: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    description: {
      ...inApi(
        `${LABELING}: those of the organization of the project, those of the organization of the user once the user is known, or (unspecified) those of the default organization.`,
      ),
      file: `${LABELING}.`,
    },
  },
} as const satisfies Fields
