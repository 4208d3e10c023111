SELECT u.id,
       u.settings ->> 'theme' AS theme,
       u.settings #>> '{notifications,email}' AS email_setting,
       (u.settings -> 'limits' ->> 'storage')::bigint AS storage
FROM users u
WHERE u.settings @> '{"beta": true}'
  AND u.settings ? 'theme'
  AND NOT u.settings ?| ARRAY['suspended', 'deleted'];
