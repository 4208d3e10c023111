SELECT i.sku, i.on_hand, i.reorder_level,
       greatest(i.reorder_level * 2 - i.on_hand - coalesce(p.pending, 0), 0) AS to_order
FROM inventory i
LEFT JOIN (
    SELECT sku, sum(quantity) AS pending
    FROM purchase_orders
    WHERE received_at IS NULL
    GROUP BY sku
) p ON p.sku = i.sku
WHERE i.on_hand + coalesce(p.pending, 0) < i.reorder_level
  AND NOT i.discontinued;
