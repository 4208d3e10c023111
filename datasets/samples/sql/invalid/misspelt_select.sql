SELCT id, name
FROM users
WHERE active;
