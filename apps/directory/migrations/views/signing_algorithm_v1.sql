CREATE OR REPLACE VIEW directory_read.signing_algorithm_v1 AS
  SELECT named.key AS algorithm, named.value::timestamptz AS named_at
    FROM directory.setting s, jsonb_each_text(s.signing_algorithms_named) AS named;

GRANT SELECT ON directory_read.signing_algorithm_v1 TO signet_keys;
