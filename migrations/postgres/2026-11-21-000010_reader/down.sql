DROP TABLE reader_samples;
DROP TABLE reader_logins;
