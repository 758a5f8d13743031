import type { RpcClient } from '@signet/rpc/client'
import type { AccountService } from '@signet/rpc/gen/directory/v1/account_service_pb'
import type { AccessKeeper } from '../applications/own-applications.ts'
import type { Consents } from '../consent/consent.ts'
import type { RoleOffers } from '../offered-roles/offered-roles.ts'
import type { RegisterAccount } from '../registration/register.ts'
import {
  REGISTRATION_CODES,
  REGISTRATION_FIELDS,
  type RegistrationProblem,
} from '../registration/registration-problem.ts'
import { call } from './call.ts'
import { verifiedAccount } from './credential-service.ts'

const TIMEOUT_MS = 2_000
// An argon2id run behind others that wait for the same few threads.
const REGISTER_TIMEOUT_MS = 5_000

export function consentKeeper(accounts: RpcClient<typeof AccountService>): Consents {
  return {
    async find(userId, clientId) {
      const { scopes } = await call('directory', () =>
        accounts.findConsent({ userId, clientId }, { timeoutMs: TIMEOUT_MS }),
      )
      return new Set(scopes)
    },
    async record({ scopes, ...consent }) {
      const request = { ...consent, scopes: [...scopes] }
      await call('directory', () => accounts.recordConsent(request, { timeoutMs: TIMEOUT_MS }))
    },
  }
}

export function roleOffers(accounts: RpcClient<typeof AccountService>): RoleOffers {
  return {
    async list(userId) {
      const { offers } = await call('directory', () =>
        accounts.listOfferedRoles({ userId }, { timeoutMs: TIMEOUT_MS }),
      )
      return offers.map(({ organizationId, organizationName, projectId, projectName, roles }) => ({
        objectId: projectId || organizationId,
        organizationName,
        ...(projectId !== '' && { projectName }),
        roles,
      }))
    },
    async answer({ roles, ...answer }) {
      const request = { ...answer, roles: [...roles] }
      await call('directory', () => accounts.answerOfferedRoles(request, { timeoutMs: TIMEOUT_MS }))
    },
  }
}

export function consentAccess(accounts: RpcClient<typeof AccountService>): AccessKeeper {
  return {
    async list(userId) {
      const { consents } = await call('directory', () =>
        accounts.listConsents({ userId }, { timeoutMs: TIMEOUT_MS }),
      )
      return consents
    },
    async end(ending) {
      await call('directory', () => accounts.withdrawConsent(ending, { timeoutMs: TIMEOUT_MS }))
    },
  }
}

export function accountRegistrar(accounts: RpcClient<typeof AccountService>): RegisterAccount {
  return async ({ organizationId = '', ...registration }) => {
    const { outcome } = await call('directory', () =>
      accounts.register({ ...registration, organizationId }, { timeoutMs: REGISTER_TIMEOUT_MS }),
    )
    switch (outcome.case) {
      case 'account': {
        const { secondFactorRequired: _, ...account } = verifiedAccount(outcome.value)
        return { account }
      }
      case 'problems':
        return { problems: outcome.value.problems.map(problemOf) }
      case undefined:
        throw new Error('the directory answered a registration with nothing')
    }
  }
}

/** What this release does not know is an invalid field, or an invalid form. */
function problemOf({ field, code }: { field: string; code: string }): RegistrationProblem {
  return {
    field: REGISTRATION_FIELDS.find((known) => known === field),
    code: REGISTRATION_CODES.find((known) => known === code) ?? 'invalid',
  }
}
