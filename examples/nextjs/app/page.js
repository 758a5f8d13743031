import { getServerSession } from 'next-auth'
import { authOptions } from '../auth'

export default async function Home() {
  const session = await getServerSession(authOptions)
  if (!session) return <a href="/api/auth/signin">Sign in</a>
  return (
    <>
      <pre>{JSON.stringify(session.user, null, 2)}</pre>
      <a href="/api/auth/signout">Sign out</a>
    </>
  )
}
