import { type DesiredObject, desiredObject } from './desired-object.ts'
import type { BootstrapFile } from './schema/bootstrap-file.ts'

type Organization = NonNullable<BootstrapFile['organizations']>[number]
type Project = NonNullable<Organization['projects']>[number]
type Application = NonNullable<Project['applications']>[number]

export function desiredApplications(
  applications: readonly Application[],
  project: DesiredObject,
): DesiredObject[] {
  return applications.flatMap((application, at) => {
    const { id, keys = [], clientSecret, ...fields } = application
    const owner = desiredObject('application', {
      path: `${project.path}.applications[${at}]`,
      parent: project,
      id,
      naturalName: application.name,
      fields,
      secrets: { clientSecret },
    })
    const registered = keys.map(({ id: kid, jwk }, keyAt) =>
      desiredObject('application_key', {
        path: `${owner.path}.keys[${keyAt}]`,
        parent: owner,
        id: kid,
        naturalName: kid,
        fields: { jwk },
      }),
    )
    return [owner, ...registered]
  })
}
