/**
 * SQL: whether the account of `userId` has a way to sign in beside some of its links: a password or a passkey of the relying
 * party `rpId` that the login policy accepts alone, or a link `o` for which `others` holds of a usable provider. The second
 * factor is not looked at: it can be taken away.
 */
export const hasWayBeside = (userId: string, rpId: string, others: string): string => `(
  EXISTS (SELECT FROM directory.account a JOIN directory.effective_policy_v1 p USING (organization_id)
           WHERE a.user_id = ${userId}
             AND (p.allows_password AND EXISTS (SELECT FROM directory.account_password w WHERE w.user_id = a.user_id)
                  OR p.passkey_sign_in AND EXISTS (SELECT FROM directory.passkey k
                                                    WHERE k.user_id = a.user_id AND k.rp_id = ${rpId} AND k.cloned_at IS NULL)))
  OR EXISTS (SELECT FROM directory.identity_link o JOIN directory.identity_provider_use_v1 u USING (provider_id)
              WHERE o.user_id = ${userId} AND ${others} AND u.usable))`
