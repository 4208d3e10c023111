SELECT r.title
FROM recipes r
WHERE NOT EXISTS (
    SELECT i.ingredient FROM ingredients i WHERE i.recipe_id = r.id
    EXCEPT
    SELECT p.ingredient FROM pantry p WHERE p.amount > 0
)
ORDER BY r.minutes;
