import { Link } from "react-router";
import { ledger } from "../../lib/paths";
import { ActionForm } from "./action-form";
import { AdminLedger } from "./admin-ledger";
import { Disputes } from "./disputes";
import { EventLookup } from "./event-lookup";
import css from "./moderation.module.css";
import { Withheld } from "./withheld";

/** Moderation of events: new actions, the ledger of earlier ones, and a list of events. */
export default function Moderation() {
  return (
    <section aria-labelledby="admin-moderation" className={css.moderation}>
      <header>
        <h2 id="admin-moderation">Moderation</h2>
        <p className="quiet">
          Void, held and disputed events do not count. Every action appears in the public{" "}
          <Link to={ledger}>moderation ledger</Link>.
        </p>
      </header>
      <Disputes />
      <ActionForm />
      <AdminLedger />
      <Withheld />
      <EventLookup />
    </section>
  );
}
