SELECT n.nspname AS "schema", c.relname AS "table",
       pg_size_pretty(pg_total_relation_size(c.oid)) AS "total size"
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r'
  AND n.nspname !~ '^pg_'
  AND n.nspname <> 'information_schema'
ORDER BY pg_total_relation_size(c.oid) DESC
LIMIT 10;
