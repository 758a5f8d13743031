import { useQuery } from '@tanstack/react-query'
import { answerOf, api } from '../api/client.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { Rows } from '../ui/list.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'

/** The keys of each ring, when each changes, and the acts that change them now. */
export function KeysPage() {
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: async () => (await answerOf(api.GET('/management/v1/keys'))).keys,
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
                      <Act
                        label={text('keys.revoke')}
                        className="danger"
                        id="key.revoke"
                        path={{ kid }}
                        consequence={text('keys.revoke.ends')}
                        confirmation={kid}
                      />
                    ),
                  },
                ]}
              />
              <div className="actions">
                <Act
                  label={text('keys.rotate')}
                  className="danger"
                  id="keys.rotate"
                  given={{ ring }}
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
