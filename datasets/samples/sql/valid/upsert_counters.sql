INSERT INTO page_views AS v (page, day, views)
VALUES ($1, current_date, 1)
ON CONFLICT (page, day) DO UPDATE
SET views = v.views + excluded.views
WHERE v.page IS NOT NULL
RETURNING views;
