import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { Shell } from './shell/shell.tsx'
import { text } from './texts/texts.ts'
import { Page } from './ui/page.tsx'

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Page title={text('not_found')}>
      <p>{text('not_found.help')}</p>
    </Page>
  ),
})

/** The values of a page in its address: filters and tabs, never names or addresses of people. */
type Search = Readonly<Record<string, string | undefined>>
const searchOf = (search: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  )

function page(path: string, load: () => Promise<Record<string, unknown>>, name: string) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: searchOf,
    component: lazyRouteComponent(load as () => Promise<Record<string, RouteComponent>>, name),
  })
}

/** Each page is a file of its own, fetched when it is opened. */
const routes = [
  page('/', () => import('./pages/home.tsx'), 'HomePage'),
  page('/people', () => import('./pages/people.tsx'), 'PeoplePage'),
  page('/people/invite', () => import('./pages/invite-people.tsx'), 'InvitePeoplePage'),
  page('/people/$userId', () => import('./pages/person.tsx'), 'PersonPage'),
  page('/applications', () => import('./pages/applications.tsx'), 'ApplicationsPage'),
  page('/applications/new', () => import('./pages/new-application.tsx'), 'NewApplicationPage'),
  page('/applications/$applicationId', () => import('./pages/application.tsx'), 'ApplicationPage'),
  page('/client-documents', () => import('./pages/client-documents.tsx'), 'ClientDocumentsPage'),
  page('/projects', () => import('./pages/projects.tsx'), 'ProjectsPage'),
  page('/projects/$projectId', () => import('./pages/project.tsx'), 'ProjectPage'),
  page('/projects/$projectId/people', () => import('./pages/role-matrix.tsx'), 'RoleMatrixPage'),
  page('/organizations', () => import('./pages/organizations.tsx'), 'OrganizationsPage'),
  page('/organizations/$organizationId', () => import('./pages/organization.tsx'), 'OrganizationPage'),
  page('/organizations/$organizationId/branding', () => import('./pages/branding.tsx'), 'BrandingPage'),
  page(
    '/identity-providers/new',
    () => import('./pages/new-identity-provider.tsx'),
    'NewIdentityProviderPage',
  ),
  page(
    '/identity-providers/$providerId',
    () => import('./pages/identity-provider.tsx'),
    'IdentityProviderPage',
  ),
  page('/audit', () => import('./pages/audit.tsx'), 'AuditPage'),
  page('/jobs', () => import('./pages/jobs.tsx'), 'JobsPage'),
  page('/jobs/import', () => import('./pages/new-import.tsx'), 'NewImportPage'),
  page('/jobs/$jobId', () => import('./pages/job.tsx'), 'JobPage'),
  page('/keys', () => import('./pages/keys.tsx'), 'KeysPage'),
  page('/instance', () => import('./pages/instance.tsx'), 'InstancePage'),
  page('/why', () => import('./pages/why.tsx'), 'WhyPage'),
  page('/reference', () => import('./pages/api-reference.tsx'), 'ApiReferencePage'),
  page('/operations', () => import('./pages/operations.tsx'), 'OperationsPage'),
  page('/operations/$operationId', () => import('./pages/operations.tsx'), 'OperationPage'),
]

export const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  basepath: '/console',
  scrollRestoration: true,
})
