-- Subscribers whose plan has not run out today.
SELECT s.id, s.email, p.name AS plan, s.ends_on
FROM subscribers AS s
JOIN plans AS p ON p.id = s.plan_id
WHERE s.cancelled_at IS NULL
  AND s.ends_on >= current_date
ORDER BY s.ends_on, s.email;
