import { LIST_NAMES, type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { RecordWriter } from '../transfer/record-writer.ts'
import { apiApplicationWriter, oidcApplicationWriter } from './transfer-application-writer.ts'
import type { CarriedSealing } from './transfer-carried.ts'
import { carriedWriter } from './transfer-carried-writer.ts'
import {
  applicationKeyWriter,
  machineKeyWriter,
  projectRoleWriter,
  userMetadataWriter,
} from './transfer-details.ts'
import { userGrantWriter } from './transfer-grant-writer.ts'
import { organizationMemberWriter, projectMemberWriter } from './transfer-member-writer.ts'
import { organizationWriter } from './transfer-organization-writer.ts'
import { projectGrantWriter, projectWriter } from './transfer-project-writer.ts'
import { humanUserWriter, machineUserWriter } from './transfer-user-writer.ts'

/** A writer for every list of the format, and for `organization`. */
export function transferWriters(sealing: CarriedSealing): ReadonlyMap<string, RecordWriter> {
  const writers = {
    organization: organizationWriter(sealing),
    humanUsers: humanUserWriter(sealing),
    machineUsers: machineUserWriter(sealing),
    projects: projectWriter(sealing),
    projectRoles: projectRoleWriter,
    projectGrants: projectGrantWriter(sealing),
    oidcApps: oidcApplicationWriter(sealing),
    apiApps: apiApplicationWriter(sealing),
    userMetadata: userMetadataWriter,
    machineKeys: machineKeyWriter,
    appKeys: applicationKeyWriter,
    userGrants: userGrantWriter(sealing),
    orgMembers: organizationMemberWriter,
    projectMembers: projectMemberWriter,
  }
  const carried = LIST_NAMES.filter((list: ListName) => shapeOf(list).carried).map(
    (list) => [list, carriedWriter(list, sealing)] as const,
  )
  // The name of a list is what says which records its writer gets.
  return new Map([...Object.entries(writers), ...carried]) as unknown as ReadonlyMap<string, RecordWriter>
}
