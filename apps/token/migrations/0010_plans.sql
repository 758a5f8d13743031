-- Every statement of the token service finds few rows by their keys, so that one plan serves all values. Left to
-- choose, the planner makes a new one for each call of those that take lists.
ALTER ROLE signet_token SET plan_cache_mode = 'force_generic_plan';

-- Whether what the tokens rested on, which a grant was exchanged for, still lives by its epochs. A function, because
-- few grants were exchanged, and a subquery would be made ready for every rotation of every other.
CREATE FUNCTION grants.origins_are_alive(week integer, id text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- grant_origin's primary key, the keys of the views
  RETURN NOT EXISTS (
    SELECT FROM grants.grant_origin o
     WHERE o.end_week = week AND o.grant_id = origins_are_alive.id AND CASE o.kind
       WHEN 'u' THEN NOT EXISTS (SELECT FROM directory_read.account_life_v1 a
                                  WHERE a.user_id = o.id AND a.active AND a.token_epoch <= o.epoch)
       WHEN 'c' THEN NOT EXISTS (SELECT FROM directory_read.client_life_v1 c
                                  WHERE c.client_id = o.id AND c.active AND c.token_epoch <= o.epoch)
       WHEN 'o' THEN NOT EXISTS (SELECT FROM directory_read.organization_v1 n
                                  WHERE n.organization_id = o.id AND n.active AND n.token_epoch <= o.epoch)
       ELSE false END);
END $$;
