SELECT id, title, order
FROM chapters
ORDER BY title;
