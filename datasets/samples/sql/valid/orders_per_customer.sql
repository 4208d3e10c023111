SELECT c.id, c.name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS orders
FROM customers c
WHERE EXISTS (SELECT * FROM orders WHERE customer_id = c.id AND total > 100)
