SELECT c.label, c.dairy, avg(n.points) AS points, count(n.points) AS notes
FROM Cheese c LEFT JOIN Note n ON c.batchNo = n.batchNo
GROUP BY c.batchNo, c.label, c.dairy
HAVING count(n.points) = 0 OR avg(n.points) >= 3.5
ORDER BY points DESC, c.label
