//! Class names of ships, weapons, missions and NPCs from the game, ordered by popularity.

/// Combat ships.
pub(super) const FIGHTERS: &[&str] = &[
    "AEGS_Gladius",
    "ANVL_Arrow",
    "DRAK_Cutlass_Black",
    "ANVL_Hornet_F7A_Mk2",
    "AEGS_Avenger_Titan",
    "ANVL_Lightning_F8C",
    "ANVL_Hornet_F7C_Mk2",
    "RSI_Constellation_Andromeda",
    "AEGS_Vanguard",
    "MRAI_Guardian",
    "DRAK_Corsair",
    "ORIG_325a",
    "AEGS_Sabre",
    "DRAK_Buccaneer",
    "AEGS_Redeemer",
    "RSI_Mantis",
    "RSI_Aurora_MR",
    "MISC_Fury",
    "AEGS_Hammerhead",
    "AEGS_Idris_P",
];

/// Industrial ships.
pub(super) const WORKERS: &[&str] = &[
    "CRUS_Starlifter_C2",
    "MISC_Prospector",
    "RSI_Zeus_CL",
    "DRAK_Vulture",
    "RSI_Constellation_Taurus",
    "CRUS_Spirit_C1",
    "MISC_Freelancer_MAX",
    "ARGO_RAFT",
    "ARGO_MOLE",
    "MISC_Hull_A",
    "CNOU_Nomad",
    "DRAK_Golem",
    "DRAK_Cutter",
    "DRAK_Clipper",
    "ANVL_Carrack",
    "ANVL_Terrapin",
];

/// NPC ships and their crews.
pub(super) const ENEMY_SHIPS: &[(&str, &str)] = &[
    ("ORIG_300i_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light"),
    ("DRAK_Cutlass_Black_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light"),
    ("AEGS_Gladius_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light"),
    ("AEGS_Sabre_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light_AcePilot"),
    ("ANVL_Hornet_F7C_Mk2_PU_AI_PIR", "PU_Pilots-Human-Pirate-Gunner_Light"),
    ("RSI_Constellation_Andromeda_PU_AI_PIR", "PU_Pilots-Human-Pirate-Gunner_Light"),
    ("DRAK_Corsair_PU_AI_HeadHunters", "PU_Pilots-Human-Hostile-Pilot"),
    ("AEGS_Vanguard_PU_AI_Xenothreat", "PU_Pilots-Human-Hostile-Pilot"),
];

/// NPCs of one kind: the begin of their names, and the ends, ordered by frequency.
pub(super) type Npcs = (&'static str, &'static [&'static str]);

/// NPCs of ground locations, by faction, ordered by frequency.
pub(super) const FACTIONS: &[Npcs] = &[
    ("PU_Human_Enemy_GroundCombat_NPC_pyro_outlaw", &["soldier", "cqc", "sniper", "techie", "juggernaut"]),
    ("PU_Human_Enemy_GroundCombat_NPC_Ninetails", &["grunt", "soldier", "cqc", "techie", "sniper"]),
    ("PU_Human_Enemy_GroundCombat_NPC_Headhunters", &["soldier", "cqc", "techie", "sniper", "juggernaut"]),
    ("PU_Human_Enemy_GroundCombat_NPC_ASD", &["grunt", "soldier", "techie", "sniper", "Captain"]),
    ("PU_Human_Enemy_GroundCombat_NPC_xenothreat", &["soldier", "cqc", "sniper", "juggernaut"]),
    ("PU_Human_Enemy_GroundCombat_NPC_RoughAndReady", &["soldier", "cqc", "techie"]),
    ("Kopion", &["Irradiated", "Tundra", "Cave"]),
];

/// NPCs of contested zones.
pub(super) const ZONE_GUARDS: Npcs =
    ("PU_Human_Enemy_GroundCombat_NPC_Contestedzones", &["grunt", "techie", "soldier", "sniper", "juggernaut"]);

pub(super) const HAND_WEAPONS: &[&str] = &[
    "behr_rifle_ballistic_02_civilian",
    "behr_lmg_ballistic_01",
    "klwe_rifle_energy_01",
    "behr_smg_ballistic_01",
    "gmni_rifle_ballistic_01",
    "klwe_lmg_energy_01",
    "behr_sniper_ballistic_01",
    "behr_rifle_ballistic_01",
    "lbco_pistol_energy_01",
    "gmni_lmg_ballistic_01",
    "behr_shotgun_ballistic_01",
    "volt_rifle_energy_01",
    "behr_pistol_ballistic_01",
    "ksar_pistol_ballistic_01_iae2023",
    "ksar_melee_01",
    "behr_frag_grenade_01",
];

pub(super) const SHIP_WEAPONS: &[&str] = &[
    "KLWE_LaserRepeater_S3",
    "KLWE_LaserRepeater_S4",
    "GATS_BallisticGatling_S3",
    "KLWE_LaserRepeater_S5",
    "BEHR_LaserCannon_S3",
    "MRCK_S03_AEGS_Sabre_Firebird",
    "AMRS_LaserCannon_S3",
    "HRST_LaserRepeater_S3",
    "HRST_LaserScattergun_S3",
    "MISL_S02_IR_FSKI_Ignite",
    "MISL_S01_EM_THCN_TaskForce",
    "KRIG_BallisticGatling_S3",
];

/// Kind of a mission, the index of [`CONTRACTS`], [`OBJECTIVES`] and [`GIVERS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissionKind {
    OnFoot,
    Ships,
    Goods,
}

/// Contracts by kind of mission.
pub(super) const CONTRACTS: [&[&str]; 3] = [
    &[
        "HH_Pyro_RegionC_DerelictOutpost_EliminateAll",
        "Remove Illegal Occupants",
        "HH_Pyro_RegionA_Rank0_VE_1AsteroidBase_Criminals_EliminateSpecific",
        "Battaglia_DataDownload",
        "Help Protect Site",
        "Destroy Outlaw Data Servers",
        "Op. Save Stanton Phase 3: Reclaim Distribution Center",
    ],
    &[
        "BountyHuntersGuild_Bounty_Stanton_Easy_0",
        "BountyHuntersGuild_Bounty_Pyro_VeryEasy",
        "BountyHuntersGuild_Bounty_Stanton_Medium_2",
        "Clear Sector of Hostiles",
        "Alliance Aid: Ship Under Attack",
        "InterSec_Bounty_Nyx_Easy",
        "Combat Gauntlet - Scenario #4",
        "Suspect Apprehension Certification",
    ],
    &[
        "HaulCargo_AToB_Processed_Stims_Stanton3_SupplyGrade",
        "HaulCargo_AToB_Waste_Waste_Stanton1_SupplyGrade",
        "HaulCargo_SingleToMulti3_Processed_Mixed_PressIceProcFood_Stanton1_SupplyGrade",
        "Redwind_Stanton_SmallGrade_Planetary_Hydrogen",
        "Covalex_Stanton_VeryHard_RecoverCargo",
        "Salvager Needed (Small Supply of RMC)",
        "Med. Purchase Order: Ship Mined Ore",
        "HaulCargo_AToB_RawOre_Iron_Stanton1_SupplyGrade",
        "Senior Rank - Medium Cargo Haul",
        "FTL Courier Assignment",
    ],
];

pub(super) const GROUND_ZONES: &[&str] = &[
    "p2l4_contestedzone",
    "Stanton2c_SecUGF_007",
    "ab_mine_pyro_regiona_med_001",
    "Stanton1_HurDynUGF_003",
    "p5l2_contestedzone",
    "Pyro3_Outpost_col_m_frm_indy_001",
    "layout_int_power_001",
    "ab_mine_pyro_regionb_med_010",
    "Stanton1_DerelictSettlement_MakersPoint",
    "Stanton4a_ASD_Delving_Facility_004",
];

/// Places in space.
pub(super) const SPACE: &[&str] = &["SolarSystem", "pyro4", "pyro1", "P2_L4", "OOC_Stanton_2a_Cellin"];

pub(super) const LANDING_ZONES: &[&str] = &[
    "Stanton4_NewBabbage",
    "Stanton1_Lorville",
    "RR_P2_L4",
    "RR_P6",
    "RR_MIC_L1",
    "RR_CRU_L1",
    "RR_ARC_L1",
    "RR_P5_L2",
];

/// Arena modes against NPCs, and against players.
pub(super) const SWARMS: &[&str] = &["EA_PirateSwarm", "EA_VanduulSwarm"];
pub(super) const DUELS: &[&str] = &["EA_SquadronBattle", "EA_Elimination", "EA_FPSGunGame", "EA_TeamElimination"];

/// Objective texts by kind of mission.
pub(super) const OBJECTIVES: [&[&str]; 3] = [
    &["Eliminate all hostiles", "Reach the location", "Secure the site", "Leave the area"],
    &["Neutralize the target", "Go to the search area", "Destroy the remaining ships", "Protect the allied ship"],
    &["Collect the cargo", "Deliver the cargo", "Go to the pickup location", "Return to the freight elevator"],
];

/// Who gives contracts, by kind of mission.
pub(super) const GIVERS: [&[&str]; 3] = [
    &["CitizensForProsperity", "HeadHunters", "CrusaderSecurity", "EckhartSecurity"],
    &["BountyHuntersGuild", "AdvocacyBounties", "NorthRockServiceGroup"],
    &["CovalexHauling", "RedWindLinehaul", "LingFamilyHauling"],
];

pub(super) const BLUEPRINTS: &[&str] = &[
    "Morozov-SH Helmet Thule",
    "Morozov-SH Core Thule",
    "Antium Legs Moss Camo",
    "Antium Arms Moss Camo",
    "Antium Helmet Moss Camo",
    "BlueFlame Racing Helmet",
    "P4-AR Rifle",
    "Arrowhead Sniper Rifle",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_in_the_lists_of_names() {
        let vehicles = include_str!("../../assets/names/vehicles.json").to_lowercase();
        let crews = include_str!("../../assets/names/vehicle-crews.json").to_lowercase();
        let weapons = include_str!("../../assets/names/weapons.json").to_lowercase();
        let npcs = include_str!("../../assets/names/npcs.json").to_lowercase();
        let places = include_str!("../../assets/names/places.json").to_lowercase();
        let known = |list: &str, class: &str| list.contains(&format!("\"{}\":", class.to_lowercase()));
        for class in FIGHTERS.iter().chain(WORKERS) {
            assert!(known(&vehicles, class), "{class}");
        }
        for (ship, pilot) in ENEMY_SHIPS {
            let at = ship.find("_PU_AI_").unwrap();
            assert!(known(&vehicles, &ship[..at]), "{ship}");
            assert!(known(&crews, &ship[at..]), "{ship}");
            assert!(known(&npcs, pilot), "{pilot}");
        }
        for class in HAND_WEAPONS.iter().chain(SHIP_WEAPONS) {
            assert!(known(&weapons, class), "{class}");
        }
        for (kind, ranks) in FACTIONS.iter().chain([&ZONE_GUARDS]) {
            assert!(ranks.iter().all(|rank| known(&npcs, &format!("{kind}_{rank}"))), "{kind}");
        }
        for class in GROUND_ZONES.iter().chain(LANDING_ZONES) {
            assert!(known(&places, class), "{class}");
        }
    }
}
