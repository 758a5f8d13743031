import { setTimeout } from 'node:timers/promises'
import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { IdentityProviderService } from '@signet/grpc/gen/directory/v1/identity_provider_service_pb'
import type { RpcService } from '@signet/grpc/service'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { createGuardedConnect } from '@signet/platform/outbound-http/guarded-connection'
import { startKeepingCalls } from '@signet/platform/outbound-http/http-calls'
import type { Database } from '@signet/platform/postgres/pool'
import type { Service } from '@signet/platform/process/service'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import type { FederationConfig } from './config.ts'
import { createBeginSignIn } from './conversation/begin.service.ts'
import { createBeginLogout } from './conversation/begin-logout.ts'
import { createCompleteSignIn } from './conversation/complete.service.ts'
import { startExpiredRequestsJob } from './conversation/expired-requests.job.ts'
import { createReadLogoutToken } from './conversation/logout-token.ts'
import { createPlaces } from './conversation/places.ts'
import { createFindProvider, createFindSamlProvider } from './conversation/provider.ts'
import { createProviderDocuments } from './conversation/provider-documents.ts'
import { RequestStore } from './conversation/request.repository.ts'
import { createRequestSealer } from './conversation/sealed-request.ts'
import { createGithubWay } from './github/github-way.ts'
import { createFederationService } from './grpc.ts'
import { createOpenLdap } from './ldap/connection.ts'
import { createFindAttemptKey, createVerifyPassword } from './ldap/password.service.ts'
import { createReport } from './report.ts'
import { createSamlWay } from './saml/saml-way.ts'
import { serviceProviderMetadata } from './saml/service-provider-metadata.ts'
import { createSingleLogout } from './saml/single-logout.ts'
import { UsedAssertionStore } from './saml/used-assertion.repository.ts'

export interface FederationOptions {
  readonly config: FederationConfig
  /** Connection as the role signet_federation; closed by its creator. */
  readonly database: Database
  /** Has the identity providers. */
  readonly directory: RpcTransport
  readonly logger: Logger
  readonly metrics?: Metrics
  readonly now: Clock
  readonly random: RandomBytes
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed?: () => number
  readonly limits?: Partial<typeof LIMITS>
}

const LIMITS = {
  /** Time of one call to a provider, from the name to the last byte of the answer. */
  callMs: 10_000,
  /** Time of a sign-in that ends, after which none of its own calls goes on; those for documents are shared by sign-ins. */
  callsMs: 20_000,
  /** Sign-ins of one provider that one process handles at once. */
  underWay: 50,
  /** Least time of a refused password. */
  refusalMs: 1_000,
  /** Stored requests of one provider. */
  requests: 10_000,
}

/** Starts the service. It has no public paths: login calls it. */
export async function startFederation(options: FederationOptions): Promise<Service<RpcService>> {
  const { config, database, directory, logger, now, random, elapsed = () => performance.now() } = options
  const { issuer, masterKeys, outboundAllow: allow } = config
  const limits = { ...LIMITS, ...options.limits }
  const calls = startKeepingCalls({ allow, timeoutMs: limits.callMs, elapsed })
  const requests = new RequestStore(database)
  const used = new UsedAssertionStore(database)
  const providers = rpcClient(IdentityProviderService, directory)
  const findSamlProvider = createFindSamlProvider(providers)
  const parts = {
    issuer,
    findProvider: createFindProvider(providers),
    documents: createProviderDocuments({ getText: calls.getText, elapsed }),
    github: createGithubWay({ issuer, fetch: calls.fetch, now, random }),
    saml: createSamlWay({ issuer, used, now, random }),
    atPlace: createPlaces(limits.underWay),
    requests,
    sealer: createRequestSealer(masterKeys.reveal(), random),
    fetch: calls.fetch,
    open: createOpenLdap({ connect: createGuardedConnect({ allow }), callMs: limits.callMs }),
    ...{ now, random },
    ...{ callsMs: limits.callsMs, refusalMs: limits.refusalMs, elapsed },
    pause: (ms: number) => setTimeout(Math.max(0, ms)),
  }
  const singleLogout = createSingleLogout({ ...parts, mostRequests: limits.requests })
  const stopExpiry = startExpiredRequestsJob({
    deleteExpired: async (at, most) =>
      Math.max(await requests.deleteExpired(at, most), await used.deleteExpired(at, most)),
    ...{ now, logger },
  })
  return {
    name: 'federation',
    rpc: [
      createFederationService({
        begin: createBeginSignIn({ ...parts, mostRequests: limits.requests }),
        complete: createCompleteSignIn(parts),
        readLogoutToken: createReadLogoutToken(parts),
        beginLogout: createBeginLogout({ ...parts, singleLogout }),
        singleLogout,
        writeMetadata: async (id) => serviceProviderMetadata(await findSamlProvider(id), issuer),
        findAttemptKey: createFindAttemptKey(parts),
        verifyPassword: createVerifyPassword(parts),
        report: createReport(logger, options.metrics, now),
      }),
    ],
    notReady: async () => [],
    stop: async () => {
      calls.stop()
      await stopExpiry()
    },
  }
}
