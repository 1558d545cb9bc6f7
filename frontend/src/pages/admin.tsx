// The server's status for admins, refreshed every fifteen seconds. The server defines the available actions.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { type AdminState, adminStateQuery } from "../api/admin";
import { ApiError, errorText } from "../api/errors";
import { Section } from "../features/admin/section";
import { Stickers } from "../features/admin/stickers";
import { Visits } from "../features/admin/visits";
import { useSession } from "../features/sessions/use-session";
import { link } from "../lib/paths";
import { duration, historyTime, moment } from "../lib/times";
import { ButtonLink } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { EmptyState, ErrorState, Spinner } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./admin.module.css";

const Moderation = lazy(() => import("../features/moderation/moderation"));

export default function Admin() {
  useTitle("Admin");
  const { user } = useSession();
  return (
    <div className="page">
      <h1 className={css.title}>Admin</h1>
      {user ? (
        <State />
      ) : (
        <EmptyState title="Sign In Required">
          <p>Only admins of this site can see this page.</p>
          <p className={css.action}>
            <ButtonLink variant="primary" to={link}>
              Sign In
            </ButtonLink>
          </p>
        </EmptyState>
      )}
    </div>
  );
}

function State() {
  const state = useQuery(adminStateQuery());
  if (state.isPending) return <Spinner label="Loading server status…" />;
  if (!state.data) {
    const { title, text } = errorText(state.error);
    const refused = state.error instanceof ApiError && state.error.status === 403;
    return refused ? (
      <EmptyState title={title}>
        <p>{text}</p>
      </EmptyState>
    ) : (
      <ErrorState title={title} text={text} onRetry={() => void state.refetch()} />
    );
  }
  return <StateSections state={state.data} stale={state.isError} />;
}

function StateSections({ state, stale }: { state: AdminState; stale: boolean }) {
  return (
    <>
      <div className={css.head}>
        <p className="quiet">
          Version <strong>{state.version}</strong>, up for {duration(state.at - state.started_at)}, as of{" "}
          {moment(state.at)}
          {stale && " (the server is not responding)"}
        </p>
        <CopyButton size="small" label="Copy diagnostics" text={JSON.stringify(state, null, 2)} />
      </div>
      <div className={css.sections}>
        {state.sections.map((section) => (
          <Section key={section.id} section={section} />
        ))}
      </div>
      <section aria-labelledby="errors" className={css.part}>
        <h2 id="errors">Recent errors</h2>
        {state.errors.length === 0 && <p className="quiet">None since the server started.</p>}
        <ul role="list" className={css.errors}>
          {state.errors.map((error) => (
            <li key={`${error.at} ${error.request_id ?? error.message}`}>
              <span className="number">{error.code}</span>
              <span>{error.message}</span>
              <span className="quiet">
                {error.path && <code>{error.path}</code>} <span title={moment(error.at)}>{historyTime(error.at)}</span>
                {error.request_id && (
                  <>
                    , request <code>{error.request_id}</code>
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <Suspense fallback={<Spinner label="Loading moderation…" />}>
        <Moderation />
      </Suspense>
      <Stickers />
      <Visits visits={state.visits} />
    </>
  );
}
