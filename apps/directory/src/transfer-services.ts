import { LIST_NAMES, type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { RecordKind } from '@signet/file-formats/export/value-rules'
import type { RpcService } from '@signet/grpc/service'
import type { CarriedSealing } from './carried/carried.repository.ts'
import { createPartedPublisher } from './clients/token-service.ts'
import { CredentialStore } from './credentials/credential.repository.ts'
import { PolicyStore } from './organizations/policy.repository.ts'
import type { DirectoryParts } from './parts.ts'
import { apiApplicationWriter, oidcApplicationWriter } from './transfer/applications.repository.ts'
import { postgresAppliedBatches, storeUndoOutcomes } from './transfer/applied-batches.repository.ts'
import { createApplyBatches } from './transfer/apply-batch.ts'
import { readAuthorityFacts } from './transfer/authority-facts.repository.ts'
import { carriedWriter } from './transfer/carried-writer.repository.ts'
import {
  applicationKeyWriter,
  machineKeyWriter,
  organizationMetadataWriter,
  projectRoleWriter,
  userMetadataWriter,
} from './transfer/details.repository.ts'
import { postgresExportSource } from './transfer/export.repository.ts'
import { createExportOrganizations } from './transfer/export-organizations.ts'
import { withHashedPasswords } from './transfer/hashed-users.ts'
import { type HumanUserSettings, humanUserWriter } from './transfer/human-users.repository.ts'
import { identityLinkWriter } from './transfer/identity-links.repository.ts'
import { identityProviderWriter } from './transfer/identity-providers.repository.ts'
import { applicationTrustWriter, machineTrustWriter } from './transfer/issuer-trusts.repository.ts'
import { loginTextWriter } from './transfer/login-texts.repository.ts'
import { machineUserWriter } from './transfer/machine-users.repository.ts'
import { organizationMemberWriter, projectMemberWriter } from './transfer/members.repository.ts'
import { organizationWriter } from './transfer/organizations.repository.ts'
import { projectGrantWriter, projectWriter } from './transfer/projects.repository.ts'
import type { RecordWriter } from './transfer/record-writer.ts'
import { withPastTimes, withValueRules } from './transfer/record-writer.ts'
import { createRehearseSignIn } from './transfer/rehearse-sign-in.ts'
import { createUndoBatches } from './transfer/undo-batches.ts'
import { userGrantWriter } from './transfer/user-grants.repository.ts'
import { transferService } from './transfer.grpc.ts'
import { createChangeRecorder } from './undo/change-recorder.ts'
import { findDeletedUsers } from './undo/deleted-users.repository.ts'
import { createOpener, objectRows } from './undo/object-rows.repository.ts'
import { createUndoBatchRepository } from './undo/undo-batch.repository.ts'

/** The gRPC services that move organizations in and out, whose calls last. */
export function transferServices(parts: DirectoryParts): readonly RpcService[] {
  const { config, database, masterKeys, random, hasher, now } = parts
  const undoBatches = createUndoBatchRepository({ masterKeys, random })
  return [
    transferService({
      applyBatches: createApplyBatches({
        hashPasswords: (users, complexity) => withHashedPasswords(users, complexity, hasher),
        database,
        batches: postgresAppliedBatches,
        changes: createChangeRecorder({
          rows: objectRows,
          undoBatches,
          openerOf: createOpener,
          masterKeys,
          random,
        }),
        readAuthorityFacts,
        writers: transferWriters({ masterKeys, random, rpId: config.passkeys?.rpId }),
      }),
      undoBatches: createUndoBatches({
        database,
        batches: postgresAppliedBatches,
        storeOutcomes: storeUndoOutcomes,
        readAuthorityFacts,
        undoBatches,
        rows: objectRows,
        publishEndings: createPartedPublisher(parts.publishEndings),
      }),
      findDeletedUsers: (ids) => findDeletedUsers(database, ids),
      rehearseSignIn: createRehearseSignIn({
        hasher,
        credentials: new CredentialStore(database),
        policies: new PolicyStore(database),
        now,
      }),
      exportOrganizations: createExportOrganizations(postgresExportSource(database, masterKeys)),
    }),
  ]
}

/** A writer for every list of the format, and for `organization`. */
export function transferWriters(settings: HumanUserSettings): ReadonlyMap<string, RecordWriter> {
  const sealing: CarriedSealing = settings
  const writers = {
    organization: withPastTimes(organizationWriter(sealing)),
    humanUsers: withPastTimes(humanUserWriter(settings)),
    machineUsers: withPastTimes(machineUserWriter(sealing)),
    projects: withPastTimes(projectWriter()),
    projectRoles: projectRoleWriter,
    projectGrants: projectGrantWriter(sealing),
    oidcApps: withPastTimes(oidcApplicationWriter(sealing)),
    apiApps: withPastTimes(apiApplicationWriter(sealing)),
    orgMetadata: organizationMetadataWriter,
    userMetadata: userMetadataWriter,
    machineKeys: withPastTimes(machineKeyWriter),
    appKeys: withPastTimes(applicationKeyWriter),
    machineTrustedIssuers: withPastTimes(machineTrustWriter),
    appTrustedIssuers: withPastTimes(applicationTrustWriter),
    userGrants: withPastTimes(userGrantWriter(sealing)),
    orgMembers: organizationMemberWriter,
    projectMembers: projectMemberWriter,
    oidcIdps: identityProviderWriter(sealing),
    userLinks: identityLinkWriter(sealing),
  }
  const carried = LIST_NAMES.filter((list: ListName) => shapeOf(list).carried).map(
    (list) => [list, carriedWriter(list, sealing)] as const,
  )
  // The name of a list is what says which records its writer gets.
  const texts = ['loginTexts', loginTextWriter(sealing)] as const
  const all = new Map([...Object.entries(writers), ...carried, texts]) as unknown as ReadonlyMap<
    RecordKind,
    RecordWriter
  >
  return new Map([...all].map(([list, writer]) => [list, withValueRules(list, writer)]))
}
