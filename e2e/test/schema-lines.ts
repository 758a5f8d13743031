/** Selects a line for each column, constraint, index, trigger, view and function of the schemas of the services. */
export const SCHEMA_LINES = `
  WITH owned AS (
    SELECT oid, nspname FROM pg_namespace
     WHERE nspname <> 'information_schema' AND nspname <> 'public' AND nspname !~ '^pg_'
  ), line AS (
    SELECT format('%s.%s %s %s%s%s', n.nspname, c.relname,
                  CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' ELSE 'table' END || ' column ' || a.attname,
                  format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN ' not null' ELSE '' END,
                  ' default ' || pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM owned n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_attribute a ON a.attrelid = c.oid
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped AND NOT c.relispartition
    UNION ALL
    SELECT format('%s.%s view definition %s', n.nspname, c.relname, md5(pg_get_viewdef(c.oid)))
      FROM owned n JOIN pg_class c ON c.relnamespace = n.oid WHERE c.relkind IN ('v', 'm')
    UNION ALL
    SELECT format('%s.%s constraint %s %s', n.nspname, c.relname, o.conname, pg_get_constraintdef(o.oid))
      FROM owned n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_constraint o ON o.conrelid = c.oid
     WHERE NOT c.relispartition AND o.contype <> 'n'
    UNION ALL
    SELECT format('%s.%s domain %s %s', n.nspname, t.typname, format_type(t.typbasetype, t.typtypmod),
                  pg_get_constraintdef(o.oid))
      FROM owned n JOIN pg_type t ON t.typnamespace = n.oid AND t.typtype = 'd'
      LEFT JOIN pg_constraint o ON o.contypid = t.oid AND o.contype <> 'n'
    UNION ALL
    SELECT format('%s.%s index %s', n.nspname, c.relname, pg_get_indexdef(i.indexrelid))
      FROM owned n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_index i ON i.indrelid = c.oid
     WHERE NOT c.relispartition
    UNION ALL
    SELECT format('%s.%s trigger %s', n.nspname, c.relname, pg_get_triggerdef(t.oid))
      FROM owned n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_trigger t ON t.tgrelid = c.oid
     WHERE NOT t.tgisinternal AND NOT c.relispartition
    UNION ALL
    SELECT format('%s.%s function (%s) %s %s', n.nspname, p.proname, pg_get_function_arguments(p.oid),
                  pg_get_function_result(p.oid), md5(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)))
      FROM owned n JOIN pg_proc p ON p.pronamespace = n.oid
  )
  SELECT regexp_replace(line, '\\s+', ' ', 'g') AS line FROM line ORDER BY line COLLATE "C"`
