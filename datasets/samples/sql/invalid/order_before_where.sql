SELECT title, released FROM albums
ORDER BY released DESC
WHERE label_id = 12;
