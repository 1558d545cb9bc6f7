// The browsers signed in to the account, with actions to end one or all sessions.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { failureSentence } from "../../api/errors";
import { endEverySession, endOneSession, sessionsQuery } from "../../api/sessions";
import type { SessionView } from "../../api/types";
import { home } from "../../lib/paths";
import { date, historyTime, moment } from "../../lib/times";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import css from "./session-list.module.css";
import { logOut } from "./session-store";

export function SessionList() {
  const sessions = useQuery(sessionsQuery());
  if (sessions.isPending) return <Skeleton height={56} />;
  if (!sessions.data) {
    return (
      <ErrorState
        title="Your sessions could not be loaded."
        text={failureSentence(sessions.error)}
        onRetry={() => void sessions.refetch()}
      />
    );
  }
  if (sessions.data.length === 0) return <EmptyState title="No open sessions." />;
  return (
    <>
      <ul role="list" aria-label="Your sessions" className={css.list}>
        {sessions.data.map((session) => (
          <SessionItem key={session.id} session={session} />
        ))}
      </ul>
      <SignOutEverywhere count={sessions.data.length} />
    </>
  );
}

function SessionItem({ session }: { session: SessionView }) {
  const cache = useQueryClient();
  const finishSignOut = useFinishSignOut();
  const [isConfirming, setConfirming] = useState(false);
  const name = session.device ?? "Unknown browser";
  const end = useMutation({
    mutationFn: () => endOneSession(session.id),
    onSuccess: () =>
      session.is_current ? finishSignOut("Signed out.") : toast({ tone: "success", title: "Session ended." }),
    onSettled: async () => {
      setConfirming(false);
      if (!session.is_current) await cache.invalidateQueries({ queryKey: sessionsQuery().queryKey });
    },
  });
  return (
    <li className={css.session}>
      <span>
        <bdi className={css.device}>{name}</bdi>
        {session.is_current && <span className={css.current}>This browser</span>}
      </span>
      <span className="quiet" title={moment(session.last_seen_at)}>
        Last seen {historyTime(session.last_seen_at)}, signed in {date(session.created_at)}
      </span>
      <Button size="small" aria-label={`Sign out ${name}`} onClick={() => setConfirming(true)}>
        Sign out
      </Button>
      {end.isError && <Alert tone="error">{failureSentence(end.error)}</Alert>}
      {isConfirming && (
        <ConfirmDialog
          title="Sign out this browser?"
          action="Sign out"
          isPending={end.isPending}
          onConfirm={() => end.mutate()}
          onCancel={() => setConfirming(false)}
        >
          {session.is_current ? "This signs you out of this browser." : `${name} will have to sign in again.`}
        </ConfirmDialog>
      )}
    </li>
  );
}

function SignOutEverywhere({ count }: { count: number }) {
  const finishSignOut = useFinishSignOut();
  const [isConfirming, setConfirming] = useState(false);
  const end = useMutation({
    mutationFn: endEverySession,
    onSuccess: () => finishSignOut("Signed out everywhere."),
    onSettled: () => setConfirming(false),
  });
  return (
    <>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        Sign out everywhere
      </Button>
      {end.isError && <Alert tone="error">{failureSentence(end.error)}</Alert>}
      {isConfirming && (
        <ConfirmDialog
          title="Sign out everywhere?"
          action="Sign out everywhere"
          isPending={end.isPending}
          onConfirm={() => end.mutate()}
          onCancel={() => setConfirming(false)}
        >
          {count === 1
            ? "This is the only signed-in browser. It will be signed out."
            : `All ${count} browsers will be signed out, including this one.`}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Signs out in this browser after the session has ended on the server. */
function useFinishSignOut(): (title: string) => Promise<void> {
  const navigate = useNavigate();
  return async (title) => {
    await logOut(true);
    toast({ tone: "success", title });
    navigate(home);
  };
}
