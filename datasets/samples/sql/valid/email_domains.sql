SELECT substring(email FROM position('@' IN email) + 1) AS domain, count(*)
FROM users
WHERE email LIKE '%@%.%' ESCAPE '\'
GROUP BY domain
HAVING count(*) > 1
ORDER BY count(*) DESC, domain;
