import type { IDeployment } from 'kubernetes-models/apps/v1'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { objectsIn, renderText, type Values } from '../helm.ts'
import { MATRIX, minimal, minimalWith, production } from '../values-matrix.ts'
import { createNamespace, type Namespace, requireOutput, type StoredObject, withTag } from './programs.ts'

const OF_THE_NAMESPACE = ['ServiceAccount default']

type Objects = ReadonlyMap<string, StoredObject>

const isHook = ({ metadata }: StoredObject) => metadata.annotations?.['helm.sh/hook'] !== undefined

/** Returns the objects without hooks, which each upgrade deletes and makes again. */
const ofTheRelease = (objects: Objects) => [...objects].filter(([, object]) => !isHook(object))

/** Returns the resource versions, which change with every write. */
const versionsOf = (objects: Objects) =>
  ofTheRelease(objects).map(([name, { metadata }]) => [name, metadata.resourceVersion])

/** An object without the fields that the API server counts or dates. */
function contentOf({ metadata, ...content }: StoredObject & { status?: unknown }) {
  const { name, labels, annotations = {} } = metadata
  return { ...content, status: undefined, metadata: { name, labels, annotations } }
}

const contentsOf = (objects: Objects) =>
  Object.fromEntries(ofTheRelease(objects).map(([name, object]) => [name, contentOf(object)]))

const imagesOf = (objects: Objects) =>
  [...objects.values()]
    .filter(({ kind }) => kind === 'Deployment')
    .map((object) => (object as IDeployment & StoredObject).spec?.template.spec?.containers[0]?.image)

describe.each([
  ['minimal', minimal],
  ['production', production],
  ['everything on', MATRIX['everything on'] ?? {}],
])('a release with values: %s', (profile, values) => {
  let namespace: Namespace
  let installed: Objects
  beforeAll(async () => {
    namespace = await createNamespace(inject('kubeconfig'), `release-${profile.replaceAll(' ', '-')}`)
  })
  const upgrade = (change: Values) => requireOutput(namespace.helmEndingJobs(['upgrade'], change, 'Complete'))

  it('is installed after its migration Job, with every object of the chart', async () => {
    await requireOutput(namespace.helmEndingJobs(['install'], values, 'Complete'))
    installed = await namespace.objects()
    const rendered = objectsIn(await renderText(values))
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== 'test')
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect([...installed.keys()].toSorted()).toEqual([...rendered, ...OF_THE_NAMESPACE].toSorted())
  })

  it('writes nothing when it is upgraded to the same values', async () => {
    await upgrade(values)
    const after = await namespace.objects()
    expect(versionsOf(after)).toEqual(versionsOf(installed))
  })

  it('has the images of an upgrade, and the objects of before after a rollback', async () => {
    await upgrade(withTag(values, 'next'))
    const upgraded = await namespace.objects()
    expect(imagesOf(upgraded).every((image) => image?.endsWith(':next'))).toBe(true)
    await requireOutput(namespace.helm(['rollback', '1', '--no-hooks']))
    expect(contentsOf(await namespace.objects())).toEqual(contentsOf(installed))
  })

  it('leaves only the hooks of the migration behind', async () => {
    expect(await namespace.helm(['uninstall'])).toMatchObject({ code: 0 })
    const left = await namespace.objects()
    expect(ofTheRelease(left).map(([name]) => name)).toEqual(OF_THE_NAMESPACE)
    const hooks = [...left.values()].filter(isHook).map(({ kind }) => kind)
    expect(hooks.toSorted()).toEqual(['Job', 'NetworkPolicy', 'ServiceAccount'])
  })
})

describe('an upgrade', () => {
  it('is accepted between all profiles, both ways', async () => {
    const namespace = await createNamespace(inject('kubeconfig'), 'switch-profiles')
    await requireOutput(namespace.helm(['install', '--no-hooks'], minimal))
    for (const [name, values] of Object.entries(MATRIX)) {
      const upgraded = await namespace.helm(['upgrade', '--no-hooks'], values)
      expect(upgraded, `${name}: ${upgraded.problems}`).toMatchObject({ code: 0 })
      expect(await namespace.helm(['upgrade', '--no-hooks'], minimal), name).toMatchObject({ code: 0 })
    }
  }, 600_000)

  it('whose migration Job fails changes no Deployment', async () => {
    const namespace = await createNamespace(inject('kubeconfig'), 'failed-migration')
    await requireOutput(namespace.helmEndingJobs(['install'], minimal, 'Complete'))
    const before = await namespace.objects()
    const answer = await namespace.helmEndingJobs(['upgrade'], withTag(minimal, 'next'), 'Failed')
    expect(answer.code).not.toBe(0)
    expect(answer.problems).toContain('signet-migrate')
    const after = await namespace.objects()
    expect(versionsOf(after)).toEqual(versionsOf(before))
    expect([...after.keys()]).toContain('Job signet-migrate')
  })

  it('has a Job of another name for each version with migrations.mode job', async () => {
    const namespace = await createNamespace(inject('kubeconfig'), 'plain-job')
    const values = minimalWith({ migrations: { mode: 'job' } })
    await requireOutput(namespace.helm(['install'], values))
    const jobsOf = (objects: Objects) => [...objects.keys()].filter((name) => name.startsWith('Job '))
    const first = jobsOf(await namespace.objects())
    await requireOutput(namespace.helm(['upgrade'], withTag(values, 'next')))
    const second = jobsOf(await namespace.objects())
    expect([first.length, second.length]).toEqual([1, 1])
    expect(second).not.toEqual(first)
    await namespace.helm(['uninstall'])
    expect([...(await namespace.objects()).keys()]).toEqual(OF_THE_NAMESPACE)
  })

  it('changes migrations.mode from hook to job and back', async () => {
    const namespace = await createNamespace(inject('kubeconfig'), 'migration-mode')
    const job = minimalWith({ migrations: { mode: 'job' } })
    await requireOutput(namespace.helmEndingJobs(['install'], minimal, 'Complete'))
    await requireOutput(namespace.helmEndingJobs(['upgrade'], job, 'Complete'))
    await requireOutput(namespace.helmEndingJobs(['upgrade'], minimal, 'Complete'))
  })
})
