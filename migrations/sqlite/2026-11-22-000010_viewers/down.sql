DROP TABLE profile_viewers;
DROP TABLE view_salts;
