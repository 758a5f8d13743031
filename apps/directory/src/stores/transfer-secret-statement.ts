/** Replaces the client secrets of the owners that `writeRows` names by those given: rows of `SecretRow`. */
export function setSecrets(table: 'application_secret' | 'service_user_secret', owner: string) {
  return {
    name: `transfer.${table}.set`, // application_secret_owner, service_user_secret_owner
    text: `WITH given AS (SELECT * FROM json_to_recordset($1::json) AS r (owner_id text, hash text, expires_at timestamptz)),
                gone AS (DELETE FROM directory.${table} s USING given g
                          WHERE s.${owner} = g.owner_id
                            AND NOT EXISTS (SELECT FROM given kept WHERE kept.owner_id = s.${owner} AND kept.hash = s.hash))
           INSERT INTO directory.${table} (${owner}, hash, expires_at)
           SELECT owner_id, hash, expires_at FROM given g
            WHERE NOT EXISTS (SELECT FROM directory.${table} s WHERE s.${owner} = g.owner_id AND s.hash = g.hash)`,
  }
}
