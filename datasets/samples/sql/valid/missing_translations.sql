(SELECT key, 'de' AS language FROM texts EXCEPT SELECT key, language FROM translations WHERE language = 'de')
UNION ALL
(SELECT key, 'fr' FROM texts EXCEPT SELECT key, language FROM translations WHERE language = 'fr')
ORDER BY language, key;
