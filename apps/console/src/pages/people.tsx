import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ChoiceFilter, Filters, TextFilter } from '../ui/filters.tsx'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Page } from '../ui/page.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { useFilters } from '../ui/search-state.ts'
import { BulkActs } from './bulk-acts.tsx'
import { nameOf, type User } from './users.ts'

/** People and service users. */
export function PeoplePage() {
  const [filters, change] = useFilters()
  // A part of a name or an address is personal data, which an address of a page does not hold.
  const [search, setSearch] = useState<string>()
  const [chosen, setChosen] = useState<ReadonlyMap<string, User>>(new Map())
  const navigate = useNavigate()
  const open = (made: unknown) => void navigate({ to: `/people/${(made as User).id}` })
  return (
    <Page
      title={text('people')}
      actions={
        <>
          <Link
            to="/people/invite"
            search={{ organizationId: filters.organizationId } as never}
            className="button primary"
          >
            {text('invite')}
          </Link>
          <Act label={text('people.create')} id="user.create" onDone={open} />
          <Act label={text('people.create_service')} id="service_user.create" onDone={open} />
        </>
      }
    >
      <Card>
        <Filters>
          <TextFilter label={text('people.search')} value={search} onChange={setSearch} />
          <TextFilter
            label={text('organization.id')}
            value={filters.organizationId}
            onChange={(organizationId) => change({ organizationId })}
          />
          <ChoiceFilter
            label={text('kind')}
            value={filters.kind}
            all={text('all')}
            options={[
              ['human', text('kind.human')],
              ['service_user', text('kind.service_user')],
            ]}
            onChange={(kind) => change({ kind })}
          />
          <ChoiceFilter
            label={text('state')}
            value={filters.state}
            all={text('all')}
            options={[
              ['active', text('state.active')],
              ['inactive', text('state.inactive')],
              ['locked', text('state.locked')],
            ]}
            onChange={(state) => change({ state })}
          />
          <ChoiceFilter
            label={text('people.way_in')}
            value={filters.hasCredentials}
            all={text('all')}
            options={[
              ['true', text('people.with_credentials')],
              ['false', text('people.without_credentials')],
            ]}
            onChange={(hasCredentials) => change({ hasCredentials })}
          />
          <ChoiceFilter
            label={text('people.second_factor')}
            value={filters.hasSecondFactor}
            all={text('all')}
            options={[
              ['true', text('people.with_credentials')],
              ['false', text('people.without_credentials')],
            ]}
            onChange={(hasSecondFactor) => change({ hasSecondFactor })}
          />
        </Filters>
        <SavedFilters filters={filters} />
        <BulkActs
          users={[...chosen.values()]}
          onChoose={(users) => setChosen(new Map(users.map((user) => [user.id, user])))}
        />
        <ApiList<User>
          selection={{ chosen, onChange: setChosen, nameOf }}
          label={text('people')}
          path="/management/v1/users"
          filter={{ ...filters, search }}
          keyOf={({ id }) => id}
          columns={[
            {
              title: text('name'),
              cell: (user) => <ObjectLink kind="user" id={user.id} name={nameOf(user)} />,
            },
            { title: text('user_name'), cell: ({ userName }) => userName },
            { title: text('email'), cell: (user) => (user.kind === 'human' ? user.email?.address : '') },
            {
              title: text('organization'),
              cell: ({ organizationId }) => <ObjectLink kind="organization" id={organizationId} />,
            },
            { title: text('state'), cell: ({ state }) => text(`state.${state}`) },
            { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          ]}
        />
      </Card>
    </Page>
  )
}
