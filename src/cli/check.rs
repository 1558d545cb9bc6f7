//! `apogee check`

use crate::config::{self, EffectiveSetting, Flags, Settings};
use crate::features::check::{self, Finding, Level};

use super::output::{self, outln};
use super::{CliError, block_on};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print findings and settings as JSON
    #[arg(long)]
    json: bool,
    /// Print a settings file with every key and its default instead
    #[arg(long, conflicts_with = "json")]
    example: bool,
}

pub fn run(flags: &Flags, args: &Args) -> Result<(), CliError> {
    if args.example {
        return output::write_bytes(config::EXAMPLE.as_bytes());
    }
    let (effective, findings) = match Settings::load_with_origins(flags) {
        Ok((settings, effective)) => {
            let findings = block_on(async { Ok(check::check(&settings, &effective).await) })?;
            (effective, findings)
        }
        Err(error) => (Vec::new(), vec![Finding { level: Level::Error, about: "settings", text: error.to_string() }]),
    };
    let errors = findings.iter().filter(|finding| finding.level == Level::Error).count();
    if args.json {
        print_json(&effective, &findings)?
    } else {
        print_lines(&effective, &findings)?
    }
    if errors > 0 { Err(CliError::Findings(errors)) } else { Ok(()) }
}

fn print_lines(effective: &[EffectiveSetting], findings: &[Finding]) -> Result<(), CliError> {
    for setting in effective {
        outln!("setting  {} = {} ({})", setting.key, setting.value, setting.origin)?;
    }
    for finding in findings {
        let level = match finding.level {
            Level::Ok => "ok",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        outln!("{level:<8} {}: {}", finding.about, finding.text)?;
    }
    Ok(())
}

fn print_json(effective: &[EffectiveSetting], findings: &[Finding]) -> Result<(), CliError> {
    let settings: Vec<serde_json::Value> = effective
        .iter()
        .map(|s| serde_json::json!({ "name": s.key, "value": s.value, "origin": s.origin.to_string() }))
        .collect();
    let findings = serde_json::to_value(findings).map_err(std::io::Error::other)?;
    outln!("{}", serde_json::json!({ "settings": settings, "findings": findings }))
}
