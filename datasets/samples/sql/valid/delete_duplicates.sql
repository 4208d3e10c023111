DELETE FROM contacts AS a
USING contacts AS b
WHERE a.id > b.id
  AND lower(trim(BOTH ' ' FROM a.email)) = lower(trim(b.email))
RETURNING a.id, a.email;
