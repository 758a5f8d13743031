import { fapi2Problems } from '@signet/protocol/fapi2'
import { bodyOf, type Suite } from './api/suite.ts'
import type { Check } from './installation-checks.ts'

const TITLE = 'Settings keep applications from fapi2'
const REMEDY =
  'Change each setting, then: signet application update ID --set fapi2=true. docs/guides/fapi.md has what it demands.'

/**
 * Names each setting that keeps an application from `fapi2`, with its rule, as the management API does when it is set. Without an
 * id: of each application that the caller may see, APIs excepted, since no person signs in to them.
 */
export async function checkFapi2(suite: Suite, applicationId?: string): Promise<readonly Check[]> {
  const applications =
    applicationId === undefined ? signInApplications(suite) : [await read(suite, applicationId)]
  const organizations = new Map<string, Promise<string>>()
  const findings: Check['findings'][number][] = []
  for await (const application of applications) {
    const { id, projectId } = application
    for (const { field, rule } of fapi2Problems(application)) {
      const organization = organizations.get(projectId) ?? organizationOf(suite, projectId)
      organizations.set(projectId, organization)
      findings.push({
        kind: 'application',
        id,
        organizationId: await organization,
        detail: `${field}: ${rule}`,
      })
    }
  }
  if (findings.length === 0) return []
  return [{ id: 'fapi2', title: TITLE, remedy: REMEDY, count: findings.length, findings }]
}

async function read({ management }: Suite, applicationId: string) {
  const params = { path: { applicationId } }
  return bodyOf(await management.GET('/management/v1/applications/{applicationId}', { params }))
}

async function* signInApplications({ management }: Suite) {
  let cursor: string | undefined
  do {
    const query = { limit: 500, ...(cursor !== undefined && { cursor }) }
    const page = bodyOf(await management.GET('/management/v1/applications', { params: { query } }))
    for (const application of page.items) if (application.type !== 'api') yield application
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

async function organizationOf({ management }: Suite, projectId: string): Promise<string> {
  const params = { path: { projectId } }
  return bodyOf(await management.GET('/management/v1/projects/{projectId}', { params })).organizationId
}
