import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { moment, text } from '../texts/texts.ts'
import { Rows } from '../ui/list.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { KeyAct } from './key-act.tsx'

interface Key {
  readonly kid: string
  readonly ring: string
  readonly algorithm: string
  readonly state: string
  readonly announcedAt: string
  readonly activeAt: string
  readonly retireAt: string
  readonly removeAt: string
  readonly next: { readonly state: string; readonly at: string }
}

/** The keys of each ring, when each changes, and the acts that change them now. */
export function KeysPage() {
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: async () =>
      ((await call({ method: 'GET', path: '/management/v1/keys' })) as { keys: readonly Key[] }).keys,
  })
  return (
    <Page title={text('keys')}>
      <Loaded query={keys}>
        {(found) =>
          [...new Set(found.map(({ ring }) => ring))].map((ring) => (
            <Card key={ring} title={ring}>
              <Rows
                label={ring}
                items={found.filter((key) => key.ring === ring)}
                keyOf={({ kid }) => kid}
                columns={[
                  { title: 'kid', cell: ({ kid }) => <code>{kid}</code> },
                  { title: 'alg', cell: ({ algorithm }) => algorithm },
                  { title: text('state'), cell: ({ state }) => state },
                  { title: text('keys.active'), cell: ({ activeAt }) => moment(activeAt) },
                  { title: text('keys.retire'), cell: ({ retireAt }) => moment(retireAt) },
                  { title: text('keys.next'), cell: ({ next }) => `${next.state}: ${moment(next.at)}` },
                  {
                    title: text('acts'),
                    cell: ({ kid }) => (
                      <KeyAct
                        label={text('keys.revoke')}
                        path={`/management/v1/keys/${kid}/revoke`}
                        consequence={text('keys.revoke.ends')}
                        confirmation={kid}
                      />
                    ),
                  },
                ]}
              />
              <div className="actions">
                <KeyAct
                  label={text('keys.rotate')}
                  path="/management/v1/keys/rotate"
                  body={{ ring }}
                  consequence={text('keys.rotate.ends')}
                />
              </div>
            </Card>
          ))
        }
      </Loaded>
    </Page>
  )
}
