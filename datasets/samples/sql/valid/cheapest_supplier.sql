SELECT DISTINCT ON (p.part_no) p.part_no, s.name, o.price
FROM parts p
JOIN offers o ON o.part_id = p.id
JOIN suppliers s ON s.id = o.supplier_id
WHERE o.valid_until > CURRENT_DATE
ORDER BY p.part_no, o.price ASC, s.rating DESC;
