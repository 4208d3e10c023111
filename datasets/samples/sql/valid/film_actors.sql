SELECT actor.first_name, actor.last_name
FROM actor
NATURAL JOIN film_actor
WHERE film_id IN (
    SELECT film_id FROM film WHERE title = 'Academy Dinosaur'
)
UNION
SELECT 'total', count(*)::text FROM film_actor
ORDER BY 2, 1;
