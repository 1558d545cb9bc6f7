DROP TABLE search_changes;
DROP TABLE job_leases;
DROP TABLE statsfeed_channels;
DROP TABLE visit_days;
DROP TABLE visits;
DROP TABLE commits;
