UPDATE loans AS l
SET fine = l.fine + (current_date - l.due_on) * 0.25,
    reminded_at = CURRENT_TIMESTAMP
FROM members m
WHERE m.id = l.member_id
  AND l.returned_on IS NULL
  AND l.due_on < current_date
  AND m.category <> 'staff'
RETURNING l.id, m.name, l.fine;
