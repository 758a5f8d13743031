import type { RecordOf } from '@signet/file-formats/export/records'
import { backChannelLogoutUriProblem, originProblem, redirectUriProblem } from '@signet/protocol/redirect-uri'
import { MOST_LIFETIME_SECONDS } from '../applications/application.schema.ts'
import { applicationProblems } from '../applications/application-rules.ts'
import { apiApplication, type ImportedApplication, oidcApplication } from './application-rows.ts'
import { leaveOut, type PartRules } from './leave-out.ts'
import type { RuledRecords } from './record-writer.ts'

type AnyApplication = RecordOf<'oidcApps'> | RecordOf<'apiApps'>

/** Applications without the URIs and lifetimes that the management API and the bootstrap file refuse. */
export const oidcApplicationsUnderRules = (
  applications: readonly RecordOf<'oidcApps'>[],
): RuledRecords<RecordOf<'oidcApps'>> => underRules(applications, oidcApplication)

export const apiApplicationsUnderRules = (
  applications: readonly RecordOf<'apiApps'>[],
): RuledRecords<RecordOf<'apiApps'>> => underRules(applications, apiApplication)

function underRules<R extends AnyApplication>(
  applications: readonly R[],
  settingsOf: (application: R) => ImportedApplication,
): RuledRecords<R> {
  const ruled = applications.map((application) =>
    leaveOut(application.app, rulesFor(settingsOf(application))),
  )
  return {
    records: applications.map((application, index) => ({ ...application, app: ruled[index]?.kept })),
    leftOut: ruled.flatMap(({ problems }, index) =>
      problems.map(({ field, rule }) => ({ index, message: `app.${field} is left out: ${rule}` })),
    ),
    refused: new Map(),
  }
}

function rulesFor(application: ImportedApplication): PartRules {
  const registered = (uri: string) => redirectUriProblem(uri, application)
  return {
    authMethodType: () =>
      applicationProblems({
        ...application,
        redirectUris: [],
        postLogoutRedirectUris: [],
        backChannelLogoutUri: null,
      })[0]?.rule,
    redirectUris: registered,
    postLogoutRedirectUris: registered,
    additionalOrigins: originProblem,
    // protojson writes what is absent as an empty text.
    backChannelLogoutUri: (uri) =>
      uri === '' ? undefined : backChannelLogoutUriProblem(uri, application.devMode),
    accessTokenLifetime: lifetimeProblem,
    idTokenLifetime: lifetimeProblem,
  }
}

function lifetimeProblem(duration: string): string | undefined {
  const seconds = Math.trunc(Number.parseFloat(duration))
  return seconds >= 1 && seconds <= MOST_LIFETIME_SECONDS
    ? undefined
    : `must be from 1s to ${MOST_LIFETIME_SECONDS}s; that of the instance holds`
}
