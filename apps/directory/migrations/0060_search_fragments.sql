-- A search looks for a part of a text. Each part of at most three characters begins one of these fragments, and each longer part has
-- its fragments of three characters among them, so that the index account_fragments finds the users who may have it. The organization,
-- behind U+0001, is a fragment too. In PL/pgSQL, 22 µs of CPU for a user instead of 52.
CREATE FUNCTION directory.account_fragments(organization_id text, user_name_key text, display_name text, email_key text)
RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 5000 AS $$
DECLARE
  -- Addresses often begin with the user name, and have all of its fragments then.
  texts text := concat_ws(E'\n', CASE WHEN strpos(email_key, user_name_key) > 0 THEN NULL ELSE user_name_key END,
                          lower(display_name), email_key);
  fragments text[] := ARRAY[E'\x01' || organization_id];
BEGIN
  FOR place IN 1 .. length(texts) LOOP
    fragments[place + 1] := substr(texts, place, 3);
  END LOOP;
  RETURN array_to_tsvector(fragments);
END $$;

-- What account_fragments of a user contains who has one of the texts, none of which is empty, in one of the organizations; NULL: in
-- any of them. A user whom it finds may have neither. Of an address the domain is left out, which many users have. Within the words of a
-- long text each third fragment is enough; those at the ends of words tell it from another text of the same words.
CREATE FUNCTION directory.search_query(texts text[], organization_ids text[])
RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  WITH word AS (
    SELECT whole,
           string_agg(DISTINCT '''' || replace(replace(substr(whole, place, 3), '\', '\\'), '''', '''''')
                               || CASE WHEN length(whole) < 3 THEN ''':*' ELSE '''' END, '&') AS fragments
      FROM (SELECT CASE WHEN strpos(given, '@') > 6 THEN left(given, strpos(given, '@') + 2) ELSE given END AS whole
              FROM unnest(texts) given) cut,
           generate_series(1, greatest(length(whole) - 2, 1)) place
     WHERE length(whole) <= 12 OR place % 3 = 1 OR place = length(whole) - 2
        OR substr(whole, place, 3) ~ '[^[:alpha:]]'
     GROUP BY whole
  ), found AS (SELECT string_agg('(' || fragments || ')', '|')::tsquery AS query FROM word)
  SELECT CASE WHEN organization_ids IS NULL THEN query
              ELSE query && (SELECT string_agg('''' || E'\x01' || replace(replace(id, '\', '\\'), '''', '''''') || '''', '|')
                               FROM unnest(organization_ids) id)::tsquery END
    FROM found
$$;
