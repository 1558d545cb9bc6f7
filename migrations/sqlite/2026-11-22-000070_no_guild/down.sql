-- Nothing to undo: the guild never was one.
SELECT 1;
