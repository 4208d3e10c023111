SELECT m.title, m.year, avg(r.stars) AS stars, count(r.stars) AS ratings
FROM Movie m LEFT JOIN Rating r ON m.mID = r.mID
GROUP BY m.mID, m.title, m.year
HAVING count(r.stars) = 0 OR avg(r.stars) >= 3.5
ORDER BY stars DESC, m.title
