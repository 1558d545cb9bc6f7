import { ActionForm } from "./action-form";
import { EventLookup } from "./event-lookup";
import css from "./moderation.module.css";
import { ModerationHistory } from "./moderation-history";

/** Moderation of events: new actions, the history of earlier ones, and a list of events. */
export default function Moderation() {
  return (
    <section aria-labelledby="admin-moderation" className={css.moderation}>
      <header>
        <h2 id="admin-moderation">Moderation</h2>
        <p className="quiet">
          Void and held events do not count. The history lists every action with its reason; each can be undone there.
        </p>
      </header>
      <ActionForm />
      <ModerationHistory />
      <EventLookup />
    </section>
  );
}
