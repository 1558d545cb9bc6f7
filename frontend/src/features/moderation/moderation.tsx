import { ActionForm } from "./action-form";
import { History } from "./history";
import css from "./moderation.module.css";

/** Moderation by admins: a form for actions, and their history. */
export default function Moderation() {
  return (
    <section aria-labelledby="admin-moderation" className={css.moderation}>
      <header>
        <h2 id="admin-moderation">Moderation</h2>
        <p className="quiet">Blocked and removed reports do not count. Every action can be undone in the history.</p>
      </header>
      <ActionForm />
      <History />
    </section>
  );
}
