INSERT INTO result (id, name, region, balance, weight, since, changed, active, "raw data") VALUES (1, 'Brown & Co.', 'north', 120.50, 0.1, DATE '1970-01-01', TIMESTAMP '1970-01-01 00:00:00', TRUE, X'00ff');
INSERT INTO result (id, name, region, balance, weight, since, changed, active, "raw data") VALUES (-20, '', NULL, -0.05, 1e300, DATE '1969-12-31', TIMESTAMP '1970-01-01 00:00:01.234', FALSE, X'');
INSERT INTO result (id, name, region, balance, weight, since, changed, active, "raw data") VALUES (NULL, NULL, 'north', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO result (id, name, region, balance, weight, since, changed, active, "raw data") VALUES (300, 'a|b, "c"
''d''	e\', 'south', 999999.99, CAST('NaN' AS DOUBLE PRECISION), DATE '2024-10-04', TIMESTAMP '2023-11-14 22:13:20', TRUE, X'6162');
