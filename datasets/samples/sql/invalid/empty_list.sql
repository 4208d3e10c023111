SELECT sku, title
FROM articles
WHERE status IN ();
