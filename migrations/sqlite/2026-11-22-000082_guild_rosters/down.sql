DROP TABLE roster_members;
DROP TABLE guild_rosters;
