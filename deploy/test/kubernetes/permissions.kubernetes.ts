import { describe, expect, inject, it } from 'vitest'
import { MATRIX, minimal } from '../values-matrix.ts'
import { createNamespace, list, type Namespace, requireOutput } from './programs.ts'

const EVERYTHING_ON = MATRIX['everything on'] ?? {}

/** The groups of the operators, whose permissions their charts add to the role `admin`. */
const OPERATORS = [
  'cert-manager.io',
  'external-secrets.io',
  'gateway.networking.k8s.io',
  'keda.sh',
  'monitoring.coreos.com',
]

/** Gives a user the permissions of the role `admin` in one namespace, as an operator of the cluster would. */
async function permit({ name, kubectl }: Namespace, user: string): Promise<void> {
  const subjects = [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }]
  const binding = (kind: string, role: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: role.replaceAll(':', '-') },
    subjects,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
  })
  const rules = [{ apiGroups: OPERATORS, resources: ['*'], verbs: ['*'] }]
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'operators' },
    rules,
  }
  // A controller, which does not run here, would make `admin` of these three.
  const parts = ['admin', 'edit', 'view'].map((part) => binding('ClusterRole', `system:aggregate-to-${part}`))
  await requireOutput(
    kubectl(
      ['apply', '--namespace', name, '--filename', '-'],
      list([role, binding('Role', 'operators'), ...parts]),
    ),
  )
}

describe('permissions', () => {
  it('of an administrator of one namespace install, upgrade and uninstall everything', async () => {
    const user = 'installer'
    const namespace = await createNamespace(inject('kubeconfig'), 'permissions', user)
    expect(await namespace.helm(['install'], EVERYTHING_ON)).toMatchObject({ code: 1 })
    await permit(namespace, user)
    await requireOutput(namespace.helmEndingJobs(['install'], EVERYTHING_ON, 'Complete'))
    await requireOutput(namespace.helmEndingJobs(['upgrade'], EVERYTHING_ON, 'Complete'))
    expect(await namespace.helm(['uninstall'])).toMatchObject({ code: 0 })
  })

  it('are given to no ServiceAccount of a release', async () => {
    const namespace = await createNamespace(inject('kubeconfig'), 'accounts')
    await requireOutput(namespace.helm(['install', '--no-hooks'], minimal))
    const objects = [...(await namespace.objects())]
    expect(objects.filter(([name]) => /^(Cluster)?Role/.test(name))).toEqual([])
    const accounts = objects.filter(([name]) => name.startsWith('ServiceAccount signet'))
    expect(accounts.length).toBeGreaterThan(0)
    const permissionsOf = async (account: string) => {
      const user = `system:serviceaccount:${namespace.name}:${account}`
      const groups = [
        'system:serviceaccounts',
        `system:serviceaccounts:${namespace.name}`,
        'system:authenticated',
      ]
      const as = ['--as', user, ...groups.flatMap((group) => ['--as-group', group])]
      return requireOutput(namespace.kubectl(['auth', 'can-i', '--list', ...as]))
    }
    const without = await permissionsOf('default')
    for (const [, { metadata }] of accounts) expect(await permissionsOf(metadata.name)).toBe(without)
  })
})
