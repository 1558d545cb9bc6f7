// What the player chooses before an upload: players, and what is shared beside the public events.
import { useId } from "react";
import { counted, exact } from "../../lib/numbers";
import { Name } from "../../ui/name";
import { timeSpan } from "./figures";
import { kindLabel } from "./labels";
import css from "./log-upload.module.css";
import type { HandleReading, OptIn } from "./reading";
import type { Selection } from "./selection";

interface PlayersProps {
  handles: readonly HandleReading[];
  ticked: readonly string[];
  /** The player that the account has claimed. */
  own: string | null;
  onChange: (ticked: string[]) => void;
  disabled: boolean;
}

/** The players of the logs, each with a tick box. */
export function Players({ handles, ticked, own, onChange, disabled }: PlayersProps) {
  return (
    <fieldset className={css.choice} disabled={disabled}>
      <legend>
        <h2>Players in your logs</h2>
      </legend>
      {handles.map((one) => (
        <label key={one.handle} className={css.tick}>
          <input
            type="checkbox"
            checked={ticked.includes(one.handle)}
            onChange={({ target }) =>
              onChange(target.checked ? [...ticked, one.handle] : ticked.filter((handle) => handle !== one.handle))
            }
          />
          <span>
            <Name className={css.handle}>{one.handle}</Name>
            <span className="quiet">
              {counted(one.logs, "log")}, {counted(one.totals.events, "event")}, {timeSpan([one])}
              {own !== null && !isSamePlayer(one.handle, own) && ". Not your claimed player: the site refuses it"}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The case of a handle says nothing. */
export const isSamePlayer = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

const OPT_INS: readonly { name: OptIn; label: string }[] = [
  { name: "pay", label: "Also send contract pay" },
  { name: "places", label: "Also send visited places" },
];

interface LeavingProps {
  selection: Selection;
  share: readonly OptIn[];
  onShare: (share: OptIn[]) => void;
  disabled: boolean;
}

/** The kinds of events that an upload contains, with their counts. */
export function Leaving({ selection: { kinds, uploadable }, share, onShare, disabled }: LeavingProps) {
  const id = useId();
  const offered = OPT_INS.filter(({ name }) => kinds.some(({ optIn }) => optIn === name));
  return (
    <section aria-labelledby={id} className={css.part}>
      <h2 id={id}>What leaves this computer</h2>
      <p className="quiet">
        {uploadable === 0 ? "Nothing." : `${counted(uploadable, "event")}, and only when you press Upload.`} Events in
        which you take no part stay here. An event holds its time and patch, your handle, and what its kind says: ship,
        contract, giver, duration. A fight also names the opponent. The upload names the log as well: an id of its first
        line, build, channel, first and last time.
      </p>
      {kinds.length > 0 && (
        <table className={css.table}>
          <caption className="visually-hidden">Events by kind</caption>
          <thead className="label">
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">Found</th>
              <th scope="col">Sent</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind.kind} data-stays={kind.sent === 0 || undefined}>
                <th scope="row">{kindLabel(kind)}</th>
                <td className="number">{exact(kind.count)}</td>
                <td className="number">{kind.sent === 0 ? "stays here" : exact(kind.sent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {offered.map(({ name, label }) => (
        <label key={name} className={css.tick}>
          <input
            type="checkbox"
            disabled={disabled}
            checked={share.includes(name)}
            onChange={({ target }) => onShare(target.checked ? [...share, name] : share.filter((one) => one !== name))}
          />
          <span>
            {label}
            <span className="quiet">Everybody sees it on your Career tab. Edit on your profile switches it off.</span>
          </span>
        </label>
      ))}
    </section>
  );
}
