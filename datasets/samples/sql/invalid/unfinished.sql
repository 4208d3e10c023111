SELECT a.id, b.id
FROM accounts a
JOIN branches b ON
