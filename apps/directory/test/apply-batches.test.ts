import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Batch } from '../src/transfer/batch.ts'
import { batchFixture, counted, ORGANIZATIONS, person } from './batch-fixture.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

let fixture: DirectoryFixture
let { apply, batchOf, everywhere, owners } = {} as ReturnType<typeof batchFixture>
beforeAll(async () => {
  fixture = await directoryFixture()
  ;({ apply, batchOf, everywhere, owners } = batchFixture(fixture))
  const organizations = ORGANIZATIONS.map((id) => ({ id, name: id, primaryDomain: `${id}.localhost` }))
  await fixture.apply({
    organizations: [
      ...organizations,
      ...['open', 'wide'].map((id) => ({
        ...{ id, name: id, primaryDomain: `${id}.localhost` },
        domainPolicy: { userLoginMustBeDomain: false },
      })),
    ],
  })
})
afterAll(() => fixture?.stop())

describe('batches of many organizations', () => {
  it('are written in one transaction, with as many statements as a single one', async () => {
    const [single, many] = [counted(fixture.owner), counted(fixture.owner)]
    await apply([batchOf('single', 0, 'one', [person('single-a')])], single.database)
    const outcomes = await apply(everywhere('many'), many.database)
    expect(outcomes).toEqual(ORGANIZATIONS.map(() => ({ outcomes: 'cc', failures: [], notes: [] })))
    expect(many.count).toEqual({ ...single.count, transactions: 1 })
    const expected = ORGANIZATIONS.flatMap((id) => [`${id} many-${id}-a`, `${id} many-${id}-b`])
    expect(await owners('many')).toEqual(expected.toSorted())
  })

  it('have an audit event each', async () => {
    await apply(everywhere('audited'))
    const events = (await fixture.audited())
      .filter(({ details }) => details.job_id === 'audited')
      .map(({ organizationId, details: { batch, created } }) => ({ organizationId, batch, created }))
    expect(events.toSorted((a, b) => Number(a.batch) - Number(b.batch))).toEqual(
      ORGANIZATIONS.map((organizationId, batch) => ({ organizationId, batch, created: 2 })),
    )
  })

  it('fail alone where their organization is not there', async () => {
    const batches = everywhere('missing').map((batch) =>
      batch.organizationId === 'three' ? { ...batch, organizationId: 'nowhere' } : batch,
    )
    const outcomes = await apply(batches)
    expect(outcomes.map((one) => one.outcomes)).toEqual(['cc', 'cc', 'ff', 'cc', 'cc'])
    const message = 'the organization was not imported'
    expect(outcomes[2]?.failures).toEqual(
      ['missing-three-a', 'missing-three-b'].map((record, index) => ({
        index,
        message,
        record,
        isMissing: true,
      })),
    )
    expect(outcomes[3]?.failures).toEqual([])
    expect(await owners('missing')).toHaveLength(8)
  })

  it('fail alone where a record breaks a rule of the tables', async () => {
    const outcomes = await apply([
      ...everywhere('broken'),
      batchOf('broken', 5, 'open', [person('broken-x')]),
      batchOf('broken', 6, 'wide', [
        { ...person('broken-y'), user: { userName: 'broken-x' } },
        person('broken-z'),
      ]),
    ])
    expect(outcomes.map((one) => one.outcomes)).toEqual(['cc', 'cc', 'cc', 'cc', 'cc', 'c', 'fc'])
    const message = 'the user name belongs to another user'
    expect(outcomes[6]?.failures).toEqual([{ index: 0, message, record: 'broken-x' }])
    expect(await owners('broken')).toHaveLength(12)
  })

  it('give a domain that two of them have proven to the first', async () => {
    const header = (orgId: string) => ({
      orgId,
      org: { name: 'Twin' },
      domains: [{ domainName: 'twin.example', isVerified: true, isPrimary: true }],
    })
    const ids = ['twin-a', 'twin-b', 'twin-c']
    const outcomes = await apply(
      ids.map((id, batch) => batchOf('twins', batch, id, [header(id)], { list: 'organization' })),
    )
    expect(outcomes.map((one) => one.outcomes)).toEqual(['c', 'c', 'c'])
    expect(outcomes.map(({ failures }) => failures.map(({ id }) => id))).toEqual([
      [],
      ['twin-b_twin.example'],
      ['twin-c_twin.example'],
    ])
    const domains = await fixture.rows(
      `SELECT primary_domain FROM directory_read.organization_v1 WHERE organization_id LIKE 'twin-%' ORDER BY organization_id`,
    )
    expect(domains.map(({ primary_domain }) => primary_domain)).toEqual([
      'twin.example',
      'twin.localhost',
      'twin-c.localhost',
    ])
  })

  it('give the user name of two service users to the first as its client id', async () => {
    const machine = (userId: string) => ({ userId, user: { userName: 'robot', name: 'Robot' } })
    await apply(
      ['one', 'two'].map((id, batch) =>
        batchOf('robots', batch, id, [machine(`robots-${id}`)], { list: 'machineUsers' }),
      ),
    )
    const clients = await fixture.rows(
      `SELECT client_id FROM directory_read.service_user_v1 WHERE user_id LIKE 'robots-%' ORDER BY user_id`,
    )
    expect(clients).toEqual([{ client_id: 'robot' }, { client_id: 'robot@two.localhost' }])
  })

  it('create a membership once that several of them repeat', async () => {
    await apply([batchOf('members', 0, 'one', [person('members-a')])])
    const project = { projectId: 'members-p', project: { name: 'P' } }
    await apply([batchOf('members', 1, 'one', [project], { list: 'projects' })])
    const member = { userId: 'members-a', projectId: 'members-p', roles: ['PROJECT_OWNER'] }
    const more = { list: 'projectMembers', onConflict: 'skip' as const }
    const outcomes = await apply(
      ['one', 'two', 'three'].map((id, at) => batchOf('members', at + 2, id, [member], more)),
    )
    expect(outcomes.map((one) => one.outcomes)).toEqual(['c', 's', 's'])
  })

  it('are applied once, also by calls that share some of them', async () => {
    const batches = everywhere('again')
    const first = await apply(batches.slice(0, 3))
    const second = await apply(batches.slice(1).map((batch) => ({ ...batch, onConflict: 'fail' as const })))
    expect(second.map((one) => one.outcomes)).toEqual(['cc', 'cc', 'cc', 'cc'])
    expect(second.slice(0, 2)).toEqual(first.slice(1))
  })

  it('are applied once by calls at the same time that share some of them', async () => {
    const batches = everywhere('raced').map((batch) => ({ ...batch, onConflict: 'fail' as const }))
    const calls = Array.from({ length: 12 }, (_, call) => {
      const from = call % 4
      return apply(batches.slice(from, from + 2 + (call % 3)))
    })
    for (const outcomes of await Promise.all(calls)) {
      for (const one of outcomes) expect(one).toEqual({ outcomes: 'cc', failures: [], notes: [] })
    }
    const stored = await fixture.rows(`SELECT FROM directory.applied_batch WHERE job_id = 'raced'`)
    expect(stored).toHaveLength(5)
  })

  it('are written up to the first whose plan does not hold', async () => {
    const planned = await apply(everywhere('planned', { dryRun: true }))
    expect(await owners('planned')).toEqual([])
    await apply([batchOf('meanwhile', 0, 'three', [person('planned-three-a')])])
    const outcomes = await apply(
      everywhere('planned').map((batch, at) => ({ ...batch, plan: planned[at]?.plan?.sealed })),
    )
    expect(outcomes.map(({ differences = [] }) => differences.length)).toEqual([0, 0, 1])
    expect(outcomes[2]?.differences).toEqual([
      { index: 0, message: 'it was planned as created and would now be updated' },
    ])
    expect(await owners('planned')).toEqual([
      'one planned-one-a',
      'one planned-one-b',
      'three planned-three-a',
      'two planned-two-a',
      'two planned-two-b',
    ])
  })

  it('hold to the plans of dry runs that came in other calls', async () => {
    await apply(everywhere('regrouped'))
    const changed = (more: Partial<Batch> = {}) =>
      ORGANIZATIONS.map((id, index) =>
        batchOf('regrouped-2', index, id, [person(`regrouped-${id}-a`, 'Changed')], more),
      )
    const [first, ...rest] = changed({ dryRun: true })
    if (first === undefined) throw new Error('no batch')
    const plans = [...(await apply([first])), ...(await apply(rest))]
    expect(plans.map(({ plan }) => plan?.changes)).toEqual(
      ORGANIZATIONS.map(() => [{ index: 0, fields: ['user.profile.displayName'] }]),
    )
    const outcomes = await apply(changed().map((batch, at) => ({ ...batch, plan: plans[at]?.plan?.sealed })))
    expect(outcomes.map((one) => one.outcomes)).toEqual(['u', 'u', 'u', 'u', 'u'])
  })
})
