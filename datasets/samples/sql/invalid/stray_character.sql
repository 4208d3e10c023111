SELECT host, port
FROM services
WHERE port > 1024 AND \n host LIKE 'db%';
