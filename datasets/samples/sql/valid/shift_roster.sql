SELECT e.name, s.starts_at, s.ends_at
FROM employees AS e
FULL OUTER JOIN shifts AS s USING (employee_id)
WHERE s.starts_at::time WITHOUT TIME ZONE BETWEEN TIME '22:00' AND '23:59'
   OR s.employee_id IS NULL
   OR e.employee_id IS NULL
ORDER BY s.starts_at NULLS LAST;
