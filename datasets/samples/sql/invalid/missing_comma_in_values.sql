INSERT INTO planets (name, radius, moons)
VALUES ('Mars', 3390, 2),
       ('Venus' 6052, 0);
