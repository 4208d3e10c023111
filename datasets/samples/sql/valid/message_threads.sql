SELECT t.id, t.subject, last.sent_at, last.author,
       left(last.body, 80) || CASE WHEN length(last.body) > 80 THEN '…' ELSE '' END AS preview
FROM threads t
JOIN LATERAL (
    SELECT m.sent_at, m.author, m.body
    FROM messages m
    WHERE m.thread_id = t.id AND m.deleted_at IS NULL
    ORDER BY m.sent_at DESC
    FETCH FIRST ROW ONLY
) AS last ON TRUE
WHERE t.members @> ARRAY[:user_id]
ORDER BY last.sent_at DESC;
