SELECT b.isbn, b.title, b.published,
       ts_rank(b.document, query) AS rank
FROM books b, to_tsquery('english', 'whale & (ship | sea)') AS query
WHERE b.document @@ query
  AND (b.language = 'en' OR b.translated)
ORDER BY rank DESC
LIMIT 20 OFFSET 40;
