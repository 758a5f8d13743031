import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Suites, startSuites } from './suites.ts'

let suites: Suites
beforeAll(async () => {
  suites = await startSuites({ replicas: 1, userIds: ['alice'] })
})
afterAll(() => suites?.close())

const checks = async () => {
  const [replica] = suites.replicas
  const { body } = (await replica?.manage('GET', '/doctor')) ?? {}
  return (body as { readonly checks: readonly { readonly id: string }[] }).checks.map(({ id }) => id)
}

it.each([['urn:service:iam:org:project:id:signet:aud'], ['urn:zitadel:iam:org:project:id:zitadel:aud']])(
  'the doctor names an unmarked application whose live grant has the scope %s',
  async (scope) => {
    const [replica] = suites.replicas
    const code = await replica?.issueCode({ sid: `sid ${scope}`, userId: 'alice', userEpoch: 0 })
    expect((await replica?.redeem(code ?? ''))?.status).toBe(200)
    expect(await checks()).not.toContain('api_audience')
    const grants = (text: string, values: readonly string[]) =>
      suites.database.query({ name: '', text: `UPDATE grants.authorization_grant SET ${text}`, values })
    await grants('scopes = array_append(scopes, $1)', [scope])
    expect(await checks()).toContain('api_audience')
    await grants('ended_at = now()', [])
    expect(await checks()).not.toContain('api_audience')
  },
)
