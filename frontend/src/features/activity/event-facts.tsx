import type { ReactNode } from "react";
import { Link } from "react-router";
import type { ActivityRow, EventAnswer } from "../../api/types";
import { guild } from "../../lib/paths";
import { unescapeEntities } from "../../lib/text";
import { moment } from "../../lib/times";
import { Name } from "../../ui/name";
import css from "./event-facts.module.css";

const MODES: Record<string, string> = { PU: "Persistent Universe", AC: "Arena Commander" };

/** The fields of an event that are known. */
export function EventFacts({ event, ...report }: Omit<EventAnswer, "event" | "removed"> & { event: ActivityRow }) {
  const { build, branch, received_at: received } = report;
  return (
    <Facts
      facts={[
        ["Time", <Moment key="time" at={event.event_time} />],
        ["Mode", event.game_mode && (MODES[event.game_mode] ?? event.game_mode)],
        ["Match", event.sub_game_mode],
        ["Patch", event.patch],
        ["Channel", event.channel && `${event.channel}, does not count`],
        ["Weapon", name(event.weapon_friendly_name)],
        ["Vehicle", name(event.vehicle_friendly_name)],
        ["Damage", known(event.damage_type)],
        ["Contract", event.contract_name && name(unescapeEntities(event.contract_name))],
        ["Guilds", event.orgs.length > 0 && <Guilds key="guilds" tags={event.orgs} />],
        ["Build", [build, branch].filter(Boolean).join(" · ")],
        ["Received", received !== null && <Moment key="received" at={received} />],
        ["Event", event.id],
      ]}
    />
  );
}

/** A list of facts. Those without a value are left out. */
export function Facts({ facts }: { facts: readonly [label: string, value: ReactNode][] }) {
  return (
    <dl className={css.facts}>
      {facts.map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt className="quiet">{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function Moment({ at }: { at: number }) {
  return <time dateTime={new Date(at * 1000).toISOString()}>{moment(at)}</time>;
}

const known = (name: string | null) => (name && name.toLowerCase() !== "unknown" ? name : null);

const name = (of: string | null) => known(of) && <Name>{of}</Name>;

function Guilds({ tags }: { tags: readonly string[] }) {
  return tags.map((tag, index) => (
    <span key={tag}>
      {index > 0 && ", "}
      <Link to={guild(tag)}>
        <Name>{tag}</Name>
      </Link>
    </span>
  ));
}
