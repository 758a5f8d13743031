import type { Html } from '@signet/http/html'
import { namedAudiences, parseReservedScope } from '@signet/protocol/scopes'
import type { AudienceNames } from '../authorize/consent-rule.ts'
import type { Texts } from '../pages/texts/message.ts'

/** Line of a consent page. */
interface ScopeLine {
  readonly text: string | Html
  /** The user allowed it before. */
  readonly isAllowed: boolean
}

interface ScopeContext {
  /** The scopes that the user allowed before. */
  readonly allowed: ReadonlySet<string>
  readonly audiences: AudienceNames
}

/** The texts for scopes, each text once. */
export function scopeLines(
  scopes: readonly string[],
  { allowed, audiences }: ScopeContext,
  { consent }: Texts,
): readonly ScopeLine[] {
  const lines = new Map<string, ScopeLine>()
  for (const scope of scopes) {
    const text = meaningOf(scope, audiences, consent)
    // Not allowed before unless every scope with this text was allowed.
    const key = typeof text === 'string' ? text : text.markup
    const isAllowed = allowed.has(scope) && (lines.get(key)?.isAllowed ?? true)
    lines.set(key, { text, isAllowed })
  }
  return [...lines.values()]
}

function meaningOf(
  scope: string,
  audiences: AudienceNames,
  { scopes, reserved }: Texts['consent'],
): string | Html {
  const known = Object.entries(scopes).find(([name]) => name === scope)
  if (known !== undefined) return known[1]
  const special = parseReservedScope(scope)
  if (special === undefined) return scope
  switch (special.kind) {
    case 'organization_id':
    case 'organization_domain':
    case 'user_resource_owner':
      return reserved.organization
    case 'project_audience': {
      const name = audiences.get(special.value)
      if (name !== undefined) return reserved.project(name)
      return namedAudiences([scope]).namesApi
        ? reserved.api
        : reserved.unknownProject({ projectId: special.value })
    }
    case 'project_role':
    case 'projects_roles':
    case 'roles_of_organization':
      return reserved.roles
    case 'user_metadata':
      return reserved.metadata
  }
}
