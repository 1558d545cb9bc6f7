const LOGS: Record<string, string> = {
  both: "both sides",
  killer: "the killer's log",
  victim: "the victim's log",
  player: "the player's log",
  operator: "the operator of this site",
};

/** Names whose logs reported an event: `both sides and the operator of this site`. Empty if nobody is known. */
export function reporters(reportedBy: readonly string[]): string {
  const isSide = (name: string) => name === "killer" || name === "victim";
  const hasBoth = reportedBy.filter(isSide).length === 2;
  const names = hasBoth ? ["both", ...reportedBy.filter((name) => !isSide(name))] : reportedBy;
  return names.map((name) => LOGS[name] ?? name).join(" and ");
}
