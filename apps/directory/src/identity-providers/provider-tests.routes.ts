// Test sign-ins at an identity provider, which sign no person in.
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { providerId, testId, timestamp } from '../api/parameters.ts'
import { managesOrganization, onIdentityProvider, viewsAccounts } from '../permissions/permission.ts'
import { takeTestResult, testIdentityProvider } from './provider-tests.service.ts'

const TESTS = '/management/v1/identity-providers/{providerId}/tests'

const text = z.string().optional()
const email = z.strictObject({ address: z.string(), verified: z.boolean() })
const phone = z.strictObject({ number: z.string(), verified: z.boolean() })

const account = z.strictObject({
  userId: text.describe('Absent for an account that the sign-in would make.'),
  userName: z.string(),
  profile: z.strictObject({
    ...{ givenName: text, familyName: text, nickName: text, displayName: z.string() },
    preferredLanguage: text,
  }),
  email: email.optional(),
  phone: phone.optional(),
  roles: z
    .array(z.strictObject({ projectId: z.string(), role: z.string() }))
    .readonly()
    .describe('The roles of roleMappings that the person would have.'),
  methods: z.array(z.string()).readonly().describe('The authentication methods that would count here.'),
  asksSecondFactor: z.boolean(),
})

const result = z
  .strictObject({
    state: z.enum(['waiting', 'done']).describe('waiting: nothing else is there yet.'),
    outcome: z
      .enum(['signs_in', 'creates', 'asks', 'refused', 'provider_refused', 'declined'])
      .optional()
      .describe(
        'What a sign-in of this person would come to. asks: whether to link or to make an account. refused: by the rule about accounts. provider_refused: the answer of the provider broke the rule of refusedBy. declined: the person or the provider ended it.',
      ),
    rule: text.describe('The rule about accounts that refuses the person, or the new account.'),
    refusedBy: z.strictObject({ rule: z.string(), received: text, expected: text }).optional(),
    mayLink: z.boolean().optional(),
    mayCreate: z.boolean().optional(),
    issuer: text,
    subject: text,
    groups: z.array(z.string()).readonly().optional(),
    account: account.optional().describe('The account after such a sign-in.'),
    documents: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The claims that were received, by document. Secrets are hidden, long values cut.'),
  })
  .meta({ id: 'IdentityProviderTest' })

export const providerTestOperations = [
  operation({
    id: 'identity_provider.test',
    summary: 'Makes a link by which the caller tests an identity provider',
    description:
      'Whoever opens the link within five minutes signs in at the provider. No account, link, session or role is made or changed. A person opens it in a browser with an own session. A new link takes the place of the last one.',
    method: 'post',
    path: TESTS,
    parameters: { providerId },
    response: z.strictObject({ id: z.string(), url: z.string(), expiresAt: timestamp }),
    permission: onIdentityProvider(managesOrganization, viewsAccounts),
    handle: testIdentityProvider,
  }),
  operation({
    id: 'identity_provider.take_test',
    summary: 'Answers the result of a test of an identity provider, once',
    description: 'To the caller who made the link, within five minutes after the end of the test.',
    method: 'post',
    path: `${TESTS}/{testId}/take`,
    parameters: { providerId, testId },
    response: result,
    permission: onIdentityProvider(managesOrganization, viewsAccounts),
    target: { kind: 'identity_provider', field: 'providerId' },
    handle: takeTestResult,
  }),
]
