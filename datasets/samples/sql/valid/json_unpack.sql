SELECT o.id, item.sku, item.quantity, item.quantity * item.price AS amount
FROM orders o,
     jsonb_to_recordset(o.document -> 'items') AS item (sku text, quantity int, price numeric(10, 2))
WHERE o.document @? '$.items[*] ? (@.quantity > 10)';
