import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import { quoted } from '../api/command.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { useAdministrator } from '../session/administrator.ts'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { nameOf, type User } from './users.ts'

type Caller = components['schemas']['Caller']

/** Time in which the API takes a link. */
const LINK_MS = 60_000

const IMPERSONATOR = /_IMPERSONATOR$/

/** Whether a role of the administrator can allow to act as people of the organization. The API compares it with their roles. */
const mayAsk = ({ roles, organizations }: Caller, organizationId: string): boolean =>
  [...roles, ...organizations.flatMap((held) => (held.id === organizationId ? held.roles : []))].some(
    (role) => IMPERSONATOR.test(role),
  )

/** Signs the administrator in as another person, by a link that counts once. */
export function Impersonate({ user }: { readonly user: User }) {
  const { userId } = useAdministrator()
  const caller = useQuery({
    queryKey: ['me'],
    queryFn: () => answerOf(api.GET('/management/v1/me')),
  })
  if (user.kind !== 'human' || user.state !== 'active' || user.id === userId) return null
  if (caller.data === undefined || !mayAsk(caller.data, user.organizationId)) return null
  return (
    <Act
      label={text('impersonate')}
      id="impersonation.create"
      path={{ userId: user.id }}
      consequence={
        <>
          <p>{text('impersonate.does', { name: nameOf(user) })}</p>
          <p>{text('impersonate.limits')}</p>
        </>
      }
      cures={{
        role_missing: <p>{text('impersonate.cure.role')}</p>,
        impersonation_off: <Allowing command="security-policy update --set enableImpersonation=true" />,
        impersonation_not_allowed: (
          <Allowing
            command={`login-policy update ${quoted(user.organizationId)} --set allowImpersonation=true`}
          />
        ),
      }}
      shown={(answer) => <OpenLink url={(answer as { readonly url: string }).url} />}
    />
  )
}

function Allowing({ command }: { readonly command: string }) {
  return (
    <>
      <p>{text('impersonate.cure.setting')}</p>
      <Copyable label={text('impersonate.cure.setting')} value={`signet ${command}`} />
    </>
  )
}

/** Opens the link in a tab that knows nothing of this one. The link is in the memory of this page alone. */
function OpenLink({ url }: { readonly url: string }) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), LINK_MS)
    return () => clearTimeout(timer)
  }, [])
  if (isOver) return <p role="status">{text('impersonate.over')}</p>
  return (
    <>
      <p>{text('impersonate.link')}</p>
      <button
        type="button"
        className="primary"
        onClick={() => window.open(url, '_blank', 'noopener,noreferrer')}
      >
        {text('impersonate.open')}
      </button>
    </>
  )
}
