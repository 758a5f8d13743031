import type { OfferedRoles, OwnAnswerStore } from './offered-role.repository.ts'

interface OwnAnswer {
  readonly userId: string
  /** The organization or the project that the roles are for. */
  readonly objectId: string
  /** Those that the person was shown. */
  readonly roles: readonly string[]
  readonly accepted: boolean
  readonly clientAddress?: string
}

export interface OwnOfferedRoles {
  /** The roles in other organizations that a person was given and has not answered. */
  list(userId: string): Promise<readonly OfferedRoles[]>
  /** Accepts or refuses those of them that the person was shown. */
  answer(answer: OwnAnswer): Promise<void>
}

export function ownOfferedRoles(store: OwnAnswerStore): OwnOfferedRoles {
  return {
    list: (userId) => store.list(userId),
    answer: ({ clientAddress, ...answer }) =>
      store.answer(answer, {
        actor: { kind: 'human', id: answer.userId },
        action: answer.accepted ? 'offered_role.accept' : 'offered_role.refuse',
        target: { kind: 'user', id: answer.userId },
        clientAddress,
        result: 'success',
      }),
  }
}
