//! Parts of handles and guild names.

pub(super) const TRAITS: &[&str] = &[
    "Silent", "Iron", "Crimson", "Lost", "Dark", "Lucky", "Frozen", "Solar", "Stellar", "Rusty", "Grey", "Black",
    "Red", "Blue", "Golden", "Silver", "Wild", "Lone", "Swift", "Savage", "Quiet", "Hollow", "Broken", "Ancient",
    "Cosmic", "Atomic", "Electric", "Velvet", "Midnight", "Arctic", "Desert", "Void", "Quantum", "Neon", "Copper",
    "Cobalt", "Amber", "Scarlet", "Ivory", "Obsidian", "Shady", "Sleepy", "Hungry", "Angry", "Grumpy", "Salty",
    "Mighty", "Tiny", "Giant", "Noble", "Royal", "Rogue", "Phantom", "Shadow", "Ghost", "Storm", "Thunder", "Rapid",
    "Vagrant", "Drifting", "Wandering", "Burning", "Smoking", "Flying", "Falling", "Rising", "Hidden", "Secret",
    "Double", "Triple", "Final", "First", "Last", "Old", "Young", "Brave", "Bold", "Clever", "Crafty", "Cunning",
];

pub(super) const THINGS: &[&str] = &[
    "Wolf", "Raven", "Falcon", "Viper", "Hawk", "Fox", "Tiger", "Bear", "Eagle", "Dragon", "Phoenix", "Panther",
    "Cobra", "Shark", "Lynx", "Badger", "Otter", "Owl", "Crow", "Spider", "Scorpion", "Mantis", "Wasp", "Hornet",
    "Moth", "Beetle", "Raptor", "Kraken", "Griffin", "Hydra", "Golem", "Wraith", "Specter", "Banshee", "Goblin",
    "Gremlin", "Wizard", "Monk", "Knight", "Paladin", "Ranger", "Hunter", "Reaper", "Warden", "Guardian", "Sentinel",
    "Nomad", "Drifter", "Wanderer", "Pilgrim", "Outlaw", "Bandit", "Corsair", "Pirate", "Smuggler", "Captain",
    "Pilot", "Gunner", "Miner", "Hauler", "Trader", "Broker", "Baron", "Duke", "Marshal", "Sheriff", "Scout",
    "Sniper", "Medic", "Engineer", "Mechanic", "Tinker", "Smith", "Mason", "Baker", "Potato", "Pickle", "Waffle",
    "Muffin", "Noodle", "Taco", "Pancake", "Cookie", "Toast", "Biscuit", "Pepper", "Ginger", "Comet", "Meteor",
    "Asteroid", "Nebula", "Pulsar", "Quasar", "Photon", "Proton", "Neutron", "Vector", "Cipher", "Matrix", "Pixel",
    "Static", "Signal", "Echo", "Zero", "Omega", "Delta", "Sigma", "Zulu", "Foxtrot", "Tango", "Whiskey", "Bravo",
    "Havoc", "Fury", "Rage", "Chaos", "Mayhem", "Tempest", "Blizzard", "Cyclone", "Avalanche", "Inferno", "Ember",
    "Ash", "Frost", "Flint", "Granite", "Basalt", "Onyx", "Jade", "Opal", "Quartz", "Cinder", "Hammer", "Anvil",
];

pub(super) const FIRST_NAMES: &[&str] = &[
    "Jon", "Max", "Alex", "Nick", "Tom", "Ben", "Sam", "Leo", "Finn", "Erik", "Lars", "Sven", "Nils", "Jonas",
    "Lukas", "Felix", "Oskar", "Hugo", "Emil", "Anton", "Ivan", "Dmitri", "Sergei", "Mikhail", "Pavel", "Marek",
    "Tomas", "Jakub", "Piotr", "Kasper", "Jesper", "Mikkel", "Anders", "Bjorn", "Gunnar", "Ragnar", "Olaf", "Henrik",
    "Mathieu", "Pierre", "Luc", "Remy", "Antoine", "Bastien", "Marco", "Luca", "Matteo", "Dario", "Enzo", "Carlos",
    "Diego", "Javier", "Rafael", "Miguel", "Tiago", "Joao", "Bruno", "Akira", "Kenji", "Hiro", "Takeshi", "Yuki",
    "Ryo", "Jin", "Wei", "Chen", "Liam", "Noah", "Ethan", "Mason", "Logan", "Lucas", "Owen", "Wyatt", "Caleb",
    "Hunter", "Cole", "Travis", "Dallas", "Austin", "Jack", "Harry", "George", "Archie", "Callum", "Ewan", "Angus",
];

pub(super) const SURNAMES: &[&str] = &[
    "Merrick", "Vance", "Hale", "Stroud", "Calder", "Thorne", "Ward", "Reyes", "Kessler", "Brandt", "Novak", "Petrov",
    "Volkov", "Lindqvist", "Berg", "Holm", "Dahl", "Strand", "Falk", "Adler", "Vogel", "Krause", "Richter", "Keller",
    "Hartmann", "Engel", "Winter", "Sommer", "Becker", "Moreau", "Lefevre", "Girard", "Dubois", "Laurent", "Rousseau",
    "Marchetti", "Conti", "Ricci", "Ferraro", "Delgado", "Navarro", "Castillo", "Vega", "Mendoza", "Santos", "Silva",
    "Almeida", "Tanaka", "Sato", "Mori", "Ishida", "Nakamura", "Zhao", "Lin", "Park", "Kim", "Carter", "Brooks",
    "Hayes", "Sullivan", "Murphy", "Kelly", "Doyle", "Gallagher", "MacLeod", "Fraser", "Sinclair", "Douglas",
    "Wallace", "Hughes", "Morgan", "Pryce", "Bennett", "Cross", "Drake", "Steele", "Stone", "Wolfe", "Fox", "Hawke",
    "Crane", "Swift", "Frost", "Rivers", "Marsh", "Woods", "Hill", "Fields", "Banks", "Shore", "Slade", "Locke",
];

pub(super) const TITLES: &[&str] = &[
    "Capt", "Cmdr", "Sgt", "Lt", "Major", "Col", "Cpt", "Doc", "Dr", "Admiral", "Chief", "Ensign", "Mr", "Lord",
    "Lady", "Baron", "Captain", "Commander", "Pilot", "Agent", "Professor", "Sir", "Uncle", "Papa",
];

pub(super) const OPENERS: &[&str] = &[
    "The", "NotA", "Mr", "OnlyA", "Dont_Shoot_", "Space", "Star", "Sky", "El", "Der", "Le", "Captain", "Uncle", "King",
];

pub(super) const CLOSERS: &[&str] = &[
    "TV", "SC", "Actual", "One", "Prime", "Gaming", "X", "Zero", "HD", "Plays", "Six", "YT", "Jr", "Live", "Two",
    "EU",
];

pub(super) const ONSETS: &[&str] = &[
    "K", "V", "Z", "T", "D", "R", "M", "N", "S", "L", "B", "J", "H", "G", "F", "P", "Br", "Dr", "Kr", "Tr", "Gr",
    "Vr", "Th", "Sh", "Ch", "St", "Sk", "Kh", "W", "Y", "Al", "El", "Ar", "Or", "Ax", "Ez", "Il", "Ul", "Qu", "X",
];
pub(super) const VOWELS: &[&str] = &[
    "a", "e", "i", "o", "u", "y", "ae", "ai",
];
pub(super) const MIDDLES: &[&str] = &[
    "l", "r", "n", "m", "d", "v", "k", "t", "s", "z", "th", "rr", "ll", "nd", "rk", "lt", "rd", "st", "sk", "nn",
    "rv", "ld", "b", "lv", "nt", "dr",
];
pub(super) const ENDS: &[&str] = &[
    "n", "r", "s", "x", "th", "k", "l", "m", "ris", "nis", "don", "rek", "vos", "lan", "ryn", "dra", "ka", "na", "ra",
    "zar", "ton", "len", "mir", "rax", "nox", "rian",
];

pub(super) const NUMBERS: &[&str] = &[
    "007", "1337", "117", "404", "2077", "2942", "2950", "2954", "101", "777", "666", "247", "360", "500", "808",
    "3000", "9000", "64", "1", "2", "3", "4", "5", "7", "8", "9", "13",
];

pub(super) const REALMS: &[&str] = &[
    "Stanton", "Pyro", "Terra", "Sol", "Nyx", "Odin", "Castra", "Magnus", "Banu", "Orion", "Cathcart", "Davien",
    "Kilian", "Oberon", "Ellis", "Vega", "Hadrian", "Corel", "Taranis", "Hurston", "Crusader", "Lorville", "Orison",
    "Levski", "Yela", "Daymar", "Microtech", "Arccorp", "Everus", "Calliope", "Aberdeen", "Bloom", "Monox", "Vatra",
];

pub(super) const TRADES: &[&str] = &[
    "Mining", "Salvage", "Trading", "Hauling", "Rescue", "Exploration", "Defense", "Security", "Bounty", "Escort",
    "Research", "Racing", "Medical", "Recon", "Shipping", "Refinery", "Freight", "Survey", "Combat", "Logistics",
];

pub(super) const BODIES: &[&str] = &[
    "Company", "Corporation", "Guild", "Syndicate", "Fleet", "Collective", "Alliance", "Consortium", "Union",
    "Cartel", "Industries", "Group", "Enterprises", "Command", "Division", "Legion", "Order", "Brotherhood",
    "Assembly", "Initiative", "Coalition", "Federation", "Corps", "Service", "Society", "League", "Network",
    "Ventures",
];

pub(super) const UNITS: &[&str] = &[
    "Fighter Wing", "Expeditionary Fleet", "Recon Squadron", "Strike Group", "Marine Battalion", "Air Cavalry",
    "Support Wing", "Carrier Group", "Rangers", "Special Operations Group", "Rifles", "Patrol Squadron",
    "Assault Wing", "Volunteers", "Task Force",
];

pub(super) const PACKS: &[&str] = &[
    "Wolves", "Ravens", "Falcons", "Vipers", "Hawks", "Foxes", "Tigers", "Bears", "Eagles", "Dragons", "Panthers",
    "Sharks", "Badgers", "Otters", "Owls", "Crows", "Hornets", "Knights", "Paladins", "Rangers", "Hunters", "Reapers",
    "Wardens", "Guardians", "Sentinels", "Nomads", "Drifters", "Outlaws", "Bandits", "Corsairs", "Pirates",
];

/// Forbidden in every handle, even across two words.
pub(super) const OFFENSIVE: &[&str] = &[
    "fuk", "fuck", "dik", "dick", "sex", "naz", "rape", "kum", "cum", "suk", "shit", "pis", "fag", "nig", "neg",
    "homo", "dyk", "paki", "retar", "kuk", "kok", "cock", "tit_", "tits", "anus", "anal", "slut", "hure", "hore",
    "kkk", "jude", "jew", "gay", "lesb", "turd", "hitl", "arse", "kak", "puta", "puto", "merd", "tard", "porn",
    "isis", "spik", "koon", "coon", "nud", "poop", "blya", "pid", "dumb", "cunt",
];
