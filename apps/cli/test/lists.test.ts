import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { OPERATIONS } from '../src/api/gen/operations.ts'
import { columnsOf } from '../src/operations/columns.ts'
import { tableOf } from '../src/output.ts'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture()
  for (const line of [
    'project create --set id=shop --set organizationId=home --set name=Shop',
    'project-role add shop --set key=buyer --set displayName=Buyer',
    'user create --set id=erin --set organizationId=home --set userName=erin --set profile.givenName=Erin --set profile.familyName=E --set email.address=erin@home.localhost',
    'user-grant create shop --set userId=erin --set roles=["buyer"]',
    'application create --set id=web --set clientId=shopweb --set projectId=shop --set name=Web --set type=web --set redirectUris=["https://shop.example/cb"]',
  ]) {
    const { code, err } = await fixture.signet(...line.split(' '))
    const note = 'client_id of the application is shopweb; its id, for commands, is web\n'
    expect([code, err]).toEqual([0, line.startsWith('application') ? note : ''])
  }
})
afterAll(() => fixture.close())

const shown = async (line: string) => {
  const { code, out, err } = await fixture.signet(...line.split(' '))
  expect([code, err.replace(/^there are more.*\n/, '')]).toEqual([0, ''])
  return out
}

describe('a list', () => {
  it('shows name and e-mail of users, roles of grants, client id and redirect URIs of applications', async () => {
    const users = await shown('user list --organization-id home')
    expect(users).toMatch(/^USER NAME +ID +KIND +NAME +EMAIL +STATE +ORGANIZATION ID\n/)
    expect(users).toMatch(/^erin +erin +human +Erin E +erin@home\.localhost +active +home$/m)
    expect(users).toMatch(/^operator +operator +service_user +operator +- +active +home$/m)
    expect(await shown('user-grant list shop')).toMatch(
      /^ID +USER NAME +USER ID +ROLES +.*\n\S+ +erin +erin +buyer /,
    )
    expect(await shown('user list-grants erin')).toMatch(
      /^ID +PROJECT NAME +PROJECT ID .*\n\S+ +Shop +shop +buyer /,
    )
    expect(await shown('instance-member list')).toMatch(
      /^USER NAME +DISPLAY NAME +USER ID +ROLES .*\noperator +operator +operator +IAM_OWNER/,
    )
    expect(await shown('application list')).toMatch(
      /^NAME +CLIENT ID +TYPE +AUTH METHOD +REDIRECT URIS .*\nWeb +shopweb +web +client_secret_basic +https:\/\/shop\.example\/cb /,
    )
  })

  it('of users has those with a part of the name', async () => {
    expect(await shown('user list --search ERI --columns id')).toBe('ID\nerin\n')
    expect(await shown('user list --search @home.local --organization home --columns id')).toBe('ID\nerin\n')
    expect(await shown('user list --search nobody')).toBe('none\n')
  })

  it('shows actor and target of audit events with their kinds', async () => {
    const events = await shown('audit list --all')
    expect(events).toMatch(
      /^AT +ACTION +RESULT +REASON +ACTOR +TARGET .*\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +\S+ +success +/,
    )
    expect(events).toMatch(/ user\.create +success +- +\w+\/operator +user\/erin +home /)
    // The name that the object has now.
    expect(events).toMatch(/ project\.create +success +- +\w+\/operator +project\/shop \(Shop\) /)
    await fixture.signet('application', 'read', 'signet-cli-of-nobody')
    await fixture.signet('user', 'update', 'erin', '--set', 'userName=')
    expect(await shown('audit list --result refused --action user.update')).toMatch(
      / refused +fields_invalid +/,
    )
    expect(events).not.toContain('[object')
  })

  it('has the columns that --columns names, with fields of fields', async () => {
    expect(await shown('user list --user-name erin --columns id,profile.givenName,email')).toBe(
      'ID    GIVEN NAME  EMAIL\nerin  Erin        {"address":"erin@home.localhost","verified":false}\n',
    )
    expect(await fixture.signet('user', 'list', '--columns', 'id,mail')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^--columns: "mail" is not a column; there are kind, id, .*email\.address/),
    })
    expect(await fixture.signet('user', 'list', '--columns', 'id', '--output', 'json')).toMatchObject({
      code: 2,
      err: '--columns is for --output table\n',
    })
  })

  it('is complete as JSON and YAML', async () => {
    const { items } = JSON.parse(await shown('user list --user-name erin --output json'))
    expect(items).toEqual([
      expect.objectContaining({ email: { address: 'erin@home.localhost', verified: false } }),
    ])
    expect(parse(await shown('user list --user-name erin --output yaml'))).toEqual({ items })
  })

  it('has columns that exist in the document, for every list', () => {
    for (const operation of Object.values(OPERATIONS).filter(({ itemFields }) => itemFields)) {
      const { itemFields = [] } = operation
      for (const path of (columnsOf(operation) ?? []).flatMap((column) => column.split('|'))) {
        const known = itemFields.some(
          (field) => field === path || field.startsWith(`${path}.`) || path.startsWith(`${field}.`),
        )
        expect(known, `${path} of ${operation.id}`).toBe(true)
      }
    }
  })
})

it('a table shows every value of a list', () => {
  expect(tableOf({ items: [{ hosts: ['a.example', 'b.example'], roles: [] }] })).toBe(
    'HOSTS                 ROLES\na.example, b.example  -',
  )
})

it('a table never shows an object as [object Object]', () => {
  const value = { list: [{ a: 1 }], nested: { b: { kind: 'user', id: 'erin' } } }
  expect(tableOf({ items: [value] })).toBe('LIST     NESTED\n{"a":1}  {"b":{"kind":"user","id":"erin"}}')
  expect(tableOf({ items: [{ target: { kind: 'user', id: 'erin' }, actor: { kind: 'system' } }] })).toBe(
    'TARGET     ACTOR\nuser/erin  system',
  )
})
