DROP TABLE demo_universe;
