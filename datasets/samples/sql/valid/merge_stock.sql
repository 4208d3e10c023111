MERGE INTO stock AS s
USING deliveries AS d
   ON s.sku = d.sku AND s.warehouse = d.warehouse
WHEN MATCHED AND d.quantity = 0 THEN
    DELETE
WHEN MATCHED THEN
    UPDATE SET quantity = s.quantity + d.quantity, updated_at = now()
WHEN NOT MATCHED THEN
    INSERT (sku, warehouse, quantity) VALUES (d.sku, d.warehouse, d.quantity);
