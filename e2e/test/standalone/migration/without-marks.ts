type Json = Record<string, unknown>

/** Applications as an import takes them: without what only an IAM_OWNER of the new instance says. */
export function withoutMarks(organization: Json): Json {
  const unmarked = (list: unknown) =>
    (list as { app: Json }[]).map(({ app: { mayCallApi: _, firstParty: __, ...app }, ...rest }) => ({
      ...rest,
      app,
    }))
  const lists = ['oidcApps', 'apiApps'].filter((list) => organization[list] !== undefined)
  return { ...organization, ...Object.fromEntries(lists.map((list) => [list, unmarked(organization[list])])) }
}
