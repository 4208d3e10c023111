WITH RECURSIVE tree (id, parent_id, name, depth, path) AS (
    SELECT id, parent_id, name, 0, ARRAY[name]
    FROM categories
    WHERE parent_id IS NULL
  UNION ALL
    SELECT c.id, c.parent_id, c.name, t.depth + 1, t.path || c.name
    FROM categories c
    JOIN tree t ON c.parent_id = t.id
    WHERE t.depth < 12
)
SELECT repeat('  ', depth) || name AS label, array_to_string(path, ' > ') AS breadcrumb
FROM tree
ORDER BY path;
