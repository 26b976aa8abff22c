-- DATETIME and INTERVAL arithmetic ("Manipulating DATETIME Values" in the Guide to SQL: Reference).
CREATE TABLE sched (id INT, start_t DATETIME YEAR TO MINUTE, dur INTERVAL HOUR TO MINUTE, lead INTERVAL DAY TO HOUR);
INSERT INTO sched VALUES (1, '2024-02-28 23:30', '2:45', '3 04');
INSERT INTO sched VALUES (2, DATETIME (2024-12-31 22:00) YEAR TO MINUTE, INTERVAL (12:00) HOUR TO MINUTE,
  INTERVAL (10 05) DAY TO HOUR);
SELECT id, start_t, dur, lead FROM sched ORDER BY id;
SELECT MDY(2, 29, 2024) - MDY(1, 1, 2024) FROM sched WHERE id = 1;
SELECT TO_CHAR(start_t, '%d/%m/%Y %H:%M') FROM sched ORDER BY id;
SELECT MONTH(start_t), DAY(start_t), YEAR(start_t) FROM sched ORDER BY id;
SELECT start_t || '' FROM sched ORDER BY id;
SELECT id FROM sched WHERE start_t BETWEEN '2024-01-01 00:00' AND '2024-06-01 00:00';
SELECT id FROM sched WHERE dur > '3:00';
UNLOAD TO 'sched.unl' SELECT * FROM sched ORDER BY id;
DELETE FROM sched;
LOAD FROM 'sched.unl' INSERT INTO sched;
SELECT id, start_t, dur, lead FROM sched ORDER BY id;
