SELECT *
FROM drivers
WHERE name = 'O''Brien;
