SELECT id,
       split_part(full_name, ' ', 1) AS first_name,
       overlay(card_number PLACING '********' FROM 5 FOR 8) AS masked,
       substring(phone FROM '^\+(\d+)') AS country_code,
       U&'\00E9' || E'\ttab' || $$ and 'quotes' $$ AS odd_strings
FROM people
WHERE full_name COLLATE "de-x-icu" > 'M'
  AND flags & B'0100'::bit(4) <> B'0000'
  AND checksum = x'1FA3'::int;
