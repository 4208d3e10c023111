INSERT INTO order_lines (order_id, line_no, sku, quantity, unit_price, note)
VALUES
    (1001, 1, 'TEA-GREEN-100', 2, 4.95, DEFAULT),
    (1001, 2, 'MUG-BLUE', 1, 12.00, 'it''s a gift'),
    (1001, 3, 'SPOON', 6, .80, NULL)
RETURNING order_id, line_no;
