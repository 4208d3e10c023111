SELECT region,
       sum(CASE quarter WHEN 1 THEN amount ELSE 0 END) AS q1,
       sum(CASE quarter WHEN 2 THEN amount ELSE 0 END) AS q2,
       sum(CASE quarter WHEN 3 THEN amount ELSE 0 END) AS q3,
       sum(CASE quarter WHEN 4 THEN amount ELSE 0 END) AS q4,
       sum(amount) AS "year"
FROM sales
WHERE year = 2023
GROUP BY region;
