import type { BootstrapFileInput } from '@signet/directory/bootstrap'
import { size } from '@signet/testing/sizes'
import fc from 'fast-check'
import { serviceUser, user } from './people.ts'
import { policies } from './policies.ts'
import { project } from './projects.ts'
import { text } from './values.ts'

type BootstrapOrganization = NonNullable<BootstrapFileInput['organizations']>[number]

/** The same organizations in every run, so that one that fails can be looked at. */
const SEED = 20_261_121

const organization = fc.record({
  name: text,
  policies,
  domains: fc.array(fc.constantFrom('proven', 'unproven', 'plain'), { maxLength: 3 }),
  users: fc.array(user, { maxLength: 3 }),
  serviceUsers: fc.array(serviceUser, { maxLength: 2 }),
  projects: fc.array(project, { maxLength: 2 }),
})

/** Organizations with every member of the bootstrap file that an export carries, and ids that no other one has. */
export function generatedOrganizations(): readonly BootstrapOrganization[] {
  const sample = fc.sample(organization, { seed: SEED, numRuns: size('generatedOrganizations') })
  return sample.map(({ policies, domains, users, serviceUsers, projects, name }, at) => {
    const id = `generated-${at}`
    const userIds = users.map((_, index) => `${id}-user-${index}`)
    return {
      id,
      name,
      primaryDomain: `${id}.example`,
      ...policies,
      domains: domains.map((proof, index) => {
        const domainName = `more-${index}.${id}.example`
        return proof === 'plain' ? domainName : { domainName, isVerified: proof === 'proven' }
      }),
      users: users.map((person, index) => ({
        ...person,
        id: `${id}-user-${index}`,
        userName: `${person.userName} ${id} ${index}`,
      })),
      serviceUsers: serviceUsers.map((service, index) => ({
        ...service,
        id: `${id}-service-${index}`,
        userName: `${id} service ${index}`,
        clientId: `${id}-client-${index}`,
      })),
      projects: projects.map(({ applications, ...rest }, index) => ({
        ...rest,
        id: `${id}-project-${index}`,
        grants: userIds.map((userId) => ({ userId, roles: rest.roles.map(({ key }) => key) })),
        applications: applications.map((application, turn) => ({
          ...application,
          id: `${id}-app-${index}-${turn}`,
          clientId: `${id}-app-client-${index}-${turn}`,
        })),
      })),
    } as BootstrapOrganization
  })
}
