SELECT prev.number + 1 AS first_free, min(next.number) - 1 AS last_free
FROM invoices prev, invoices next
WHERE next.number > prev.number
GROUP BY prev.number
HAVING min(next.number) > prev.number + 1;
