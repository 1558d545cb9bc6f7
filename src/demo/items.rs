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
    "AEGS_Sabre_Firebird",
    "DRAK_Corsair",
    "RSI_Scorpius",
    "ORIG_325a",
    "AEGS_Sabre",
    "DRAK_Buccaneer",
    "KRIG_L22_AlphaWolf",
    "ANVL_Paladin",
    "AEGS_Redeemer",
    "RSI_Mantis",
    "CNOU_Mustang_Alpha",
    "RSI_Aurora_MR",
    "ORIG_300i",
    "GAMA_Syulen",
    "RSI_Polaris",
    "AEGS_Eclipse",
    "MISC_Fury",
    "AEGS_Hammerhead",
    "MISC_Starlancer_TAC",
    "AEGS_Idris_P",
];

/// Industrial ships.
pub(super) const WORKERS: &[&str] = &[
    "CRUS_Starlifter_C2",
    "MISC_Prospector",
    "RSI_Zeus_CL",
    "DRAK_Vulture",
    "RSI_Constellation_Taurus",
    "DRAK_Cutlass_Black",
    "CRUS_Spirit_C1",
    "MISC_Freelancer_MAX",
    "ARGO_RAFT",
    "ARGO_MOLE",
    "MISC_Hull_A",
    "CNOU_Nomad",
    "AEGS_Avenger_Titan",
    "MISC_Starlancer_Max",
    "DRAK_Golem",
    "CRUS_Intrepid",
    "DRAK_Cutter",
    "RSI_Zeus_ES",
    "DRAK_Clipper",
    "ESPR_Prowler_Utility",
    "ANVL_Carrack",
    "ANVL_C8R_Pisces",
    "RSI_Apollo_Medivac",
    "ANVL_Terrapin",
    "RSI_Ursa_Rover",
];

/// NPC ships and their crews.
pub(super) const ENEMY_SHIPS: &[(&str, &str)] = &[
    ("ORIG_300i_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light"),
    ("DRAK_Cutlass_Black_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light"),
    ("AEGS_Gladius_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light"),
    ("DRAK_Buccaneer_PU_AI_NT", "PU_Pilots-Human-Criminal-Pilot_Light"),
    ("AEGS_Sabre_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light_AcePilot"),
    ("ANVL_Hornet_F7C_Mk2_PU_AI_PIR", "PU_Pilots-Human-Pirate-Gunner_Light"),
    ("RSI_Constellation_Andromeda_PU_AI_PIR", "PU_Pilots-Human-Pirate-Gunner_Light"),
    ("MISC_Freelancer_MIS_PU_AI_NT", "PU_Pilots-Human-Criminal-Gunner_Light"),
    ("DRAK_Corsair_PU_AI_HeadHunters", "PU_Pilots-Human-Hostile-Pilot"),
    ("AEGS_Vanguard_PU_AI_Xenothreat", "PU_Pilots-Human-Hostile-Pilot"),
    ("CNOU_Mustang_Delta_PU_AI_CRIM", "PU_Pilots-Human-Criminal-Pilot_Light"),
    ("ANVL_Arrow_PU_AI_FF", "PU_Pilots-Human-Hostile-Pilot"),
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
    "ksar_smg_energy_01",
    "gmni_smg_ballistic_01",
    "behr_rifle_ballistic_01",
    "lbco_pistol_energy_01",
    "klwe_sniper_energy_01",
    "gmni_lmg_ballistic_01",
    "ksar_rifle_energy_01",
    "behr_shotgun_ballistic_01",
    "gmni_sniper_ballistic_01",
    "volt_rifle_energy_01",
    "behr_pistol_ballistic_01",
    "gmni_shotgun_ballistic_01",
    "gmni_pistol_ballistic_01",
    "ksar_pistol_ballistic_01_iae2023",
    "ksar_melee_01",
    "behr_rifle_ballistic_02_civilian_digi01",
    "behr_frag_grenade_01",
];

pub(super) const SHIP_WEAPONS: &[&str] = &[
    "KLWE_LaserRepeater_S3",
    "KLWE_LaserRepeater_S4",
    "GATS_BallisticGatling_S3",
    "KLWE_LaserRepeater_S5",
    "BEHR_LaserCannon_S3",
    "MRCK_S03_AEGS_Sabre_Firebird",
    "GATS_BallisticGatling_S2",
    "BEHR_LaserCannon_S4",
    "AMRS_LaserCannon_S3",
    "HRST_LaserRepeater_S3",
    "KLWE_LaserRepeater_S2",
    "HRST_LaserScattergun_S3",
    "MISL_S02_IR_FSKI_Ignite",
    "GATS_BallisticCannon_S3",
    "MISL_S01_EM_THCN_TaskForce",
    "BEHR_BallisticCannon_S4",
    "KRIG_BallisticGatling_S3",
];

/// Kind of a mission, the index of [`OBJECTIVES`] and [`GIVERS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissionKind {
    OnFoot,
    Ships,
    Goods,
}

pub(super) const MISSIONS: &[(&str, MissionKind)] = &[
    ("HH_Pyro_RegionC_DerelictOutpost_EliminateAll", MissionKind::OnFoot),
    ("BountyHuntersGuild_Bounty_Stanton_Easy_0", MissionKind::Ships),
    ("HaulCargo_AToB_Processed_Stims_Stanton3_SupplyGrade", MissionKind::Goods),
    ("HaulCargo_AToB_Waste_Waste_Stanton1_SupplyGrade", MissionKind::Goods),
    ("BountyHuntersGuild_Bounty_Pyro_VeryEasy", MissionKind::Ships),
    ("Remove Illegal Occupants", MissionKind::OnFoot),
    ("HH_Pyro_RegionA_Rank0_VE_1AsteroidBase_Criminals_EliminateSpecific", MissionKind::OnFoot),
    ("HaulCargo_SingleToMulti3_Processed_Mixed_PressIceProcFood_Stanton1_SupplyGrade", MissionKind::Goods),
    ("BountyHuntersGuild_Bounty_Stanton_Medium_2", MissionKind::Ships),
    ("Redwind_Stanton_SmallGrade_Planetary_Hydrogen", MissionKind::Goods),
    ("Clear Sector of Hostiles", MissionKind::Ships),
    ("Battaglia_DataDownload", MissionKind::OnFoot),
    ("Covalex_Stanton_VeryHard_RecoverCargo", MissionKind::Goods),
    ("Salvager Needed (Small Supply of RMC)", MissionKind::Goods),
    ("Alliance Aid: Ship Under Attack", MissionKind::Ships),
    ("Med. Purchase Order: Ship Mined Ore", MissionKind::Goods),
    ("Help Protect Site", MissionKind::OnFoot),
    ("Orange Level Contract: Security Patrol", MissionKind::Ships),
    ("HaulCargo_AToB_RawOre_Iron_Stanton1_SupplyGrade", MissionKind::Goods),
    ("InterSec_Bounty_Nyx_Easy", MissionKind::Ships),
    ("Bring the hammer down", MissionKind::OnFoot),
    ("Redwind_Stanton_SmallGrade_Planetary_Titanium", MissionKind::Goods),
    ("Combat Gauntlet - Scenario #4", MissionKind::Ships),
    ("HaulCargo_AtoB_Bulk_PressIce_Stanton_RR_ARC_L1", MissionKind::Goods),
    ("Collect Irradiated Valakkar Eggs", MissionKind::OnFoot),
    ("Tactical Strike Group Needed", MissionKind::Ships),
    ("RedWind_Pyro_SmallGrade_Solar_CFP_TradepostToStation_Aluminum_CargoHauling_Multi3ToSingle", MissionKind::Goods),
    ("Senior Rank - Medium Cargo Haul", MissionKind::Goods),
    ("Destroy Outlaw Data Servers", MissionKind::OnFoot),
    ("FTL Courier Assignment", MissionKind::Goods),
    ("Suspect Apprehension Certification", MissionKind::Ships),
    ("Covalex_Nyx_Hard_RecoverCargo", MissionKind::Goods),
    ("Stop Deadly Ship Attack", MissionKind::Ships),
    ("Op. Save Stanton Phase 3: Reclaim Distribution Center", MissionKind::OnFoot),
];

/// The contracts of a kind of mission, ordered by popularity.
pub(super) fn missions(work: MissionKind) -> Vec<&'static str> {
    MISSIONS.iter().filter(|(_, kind)| *kind == work).map(|&(name, _)| name).collect()
}

pub(super) const GROUND_ZONES: &[&str] = &[
    "p2l4_contestedzone",
    "Stanton2c_SecUGF_007",
    "ab_mine_pyro_regiona_med_001",
    "Stanton1_HurDynUGF_003",
    "p5l2_contestedzone",
    "Pyro3_Outpost_col_m_frm_indy_001",
    "Stanton3a_SecUGF_011",
    "layout_int_power_001",
    "Stanton2b_SecUGF_003",
    "ab_mine_pyro_regionb_med_010",
    "Pyro3_Outpost_col_m_hmstd_otlw_001",
    "Stanton1_DerelictSettlement_MakersPoint",
    "Stanton4a_ASD_Delving_Facility_004",
    "Pyro5_L3",
    "ab_mine_stanton3_med_003",
];

pub(super) const LANDING_ZONES: &[&str] = &[
    "Stanton4_NewBabbage",
    "Stanton1_Lorville",
    "RR_P2_L4",
    "RR_P6",
    "RR_MIC_L1",
    "RR_CRU_L1",
    "RR_HUR_L1",
    "RR_ARC_L1",
    "RR_P3",
    "RR_P5_L2",
    "RR_P6_L3",
    "RR_ARC_L2",
    "RR_CRU_L4",
    "RR_P3_L3",
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
