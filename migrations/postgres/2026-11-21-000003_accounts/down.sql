DROP TABLE sticker_grants;
DROP TABLE uploads;
DROP TABLE claim_tries;
DROP TABLE claims;
DROP TABLE sessions;
DROP TABLE users;
