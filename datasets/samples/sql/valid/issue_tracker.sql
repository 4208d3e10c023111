SELECT i.id, i.title, string_agg(l.name, ', ' ORDER BY l.name) AS labels
FROM issues i
LEFT JOIN issue_labels il ON il.issue_id = i.id
LEFT JOIN labels l ON l.id = il.label_id
WHERE i.closed_at IS NULL
  AND i.title ~* '\m(crash|panic|deadlock)\M'
  AND i.assignee_id IS NOT DISTINCT FROM $1::int
GROUP BY i.id, i.title
ORDER BY i.id DESC;
