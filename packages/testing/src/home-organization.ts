/** The organization `home`, whose service user `migrator` administers the instance by this token. */
export function homeOrganization(token: string) {
  const migrator = {
    id: 'migrator',
    userName: 'migrator',
    roles: ['IAM_OWNER' as const],
    personalAccessTokens: [{ id: 'migration', token }],
  }
  return { id: 'home', name: 'Home', primaryDomain: 'home.localhost', serviceUsers: [migrator] }
}
