SELECT name,
       price,
       stock,
FROM products
WHERE stock > 0;
