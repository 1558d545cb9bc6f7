import type { ReactNode } from "react";
import { Link } from "react-router";
import type { ActivityRow } from "../../api/types";
import { guild } from "../../lib/paths";
import { unescapeEntities } from "../../lib/text";
import { moment } from "../../lib/times";
import css from "./event-facts.module.css";

const MODES: Record<string, string> = { PU: "Persistent Universe", AC: "Arena Commander" };

/** The fields of an event that are known. */
export function EventFacts({ event }: { event: ActivityRow }) {
  const facts: [string, ReactNode][] = [
    [
      "Time",
      <time key="time" dateTime={new Date(event.event_time * 1000).toISOString()}>
        {moment(event.event_time)}
      </time>,
    ],
    ["Mode", event.game_mode && (MODES[event.game_mode] ?? event.game_mode)],
    ["Match", event.sub_game_mode],
    ["Patch", event.patch],
    ["Weapon", known(event.weapon_friendly_name)],
    ["Vehicle", known(event.vehicle_friendly_name)],
    ["Damage", known(event.damage_type)],
    ["Contract", event.contract_name && unescapeEntities(event.contract_name)],
    ["Guilds", event.orgs.length > 0 && <Guilds key="guilds" tags={event.orgs} />],
    ["Event", event.id],
  ];
  return (
    <section aria-labelledby="facts" className={css.facts}>
      <h2 id="facts">Facts</h2>
      <dl>
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
    </section>
  );
}

const known = (name: string | null) => (name && name.toLowerCase() !== "unknown" ? name : null);

function Guilds({ tags }: { tags: readonly string[] }) {
  return tags.map((tag, index) => (
    <span key={tag}>
      {index > 0 && ", "}
      <Link to={guild(tag)}>
        <bdi>{tag}</bdi>
      </Link>
    </span>
  ));
}
