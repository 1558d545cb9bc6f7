// The dispute of an event by the player whom it names.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { disputeOfQuery } from "../../api/disputes";
import type { OwnDispute } from "../../api/types";
import { Button } from "../../ui/button";
import { DisputeForm } from "./dispute-form";
import css from "./disputes.module.css";
import { outcomeOf } from "./states";
import { WithdrawButton } from "./withdraw-button";

/** Shows the user's dispute of an event, or offers one. Render it only for players whom the event names. */
export function EventDispute({ event }: { event: string }) {
  const disputes = useQuery(disputeOfQuery(event));
  if (!disputes.data) return null;
  const { data, left_today: left } = disputes.data;
  const own = data[0]?.dispute;
  return (
    <section aria-labelledby="dispute" className={css.dispute}>
      <h2 id="dispute">Dispute</h2>
      {own ? <Own dispute={own} /> : <Offer event={event} left={left} />}
    </section>
  );
}

function Own({ dispute }: { dispute: OwnDispute }) {
  return (
    <>
      <p>{outcomeOf(dispute)}</p>
      <p className={`quiet ${css.reason}`}>
        Your reason: <bdi>{dispute.reason}</bdi>
      </p>
      {dispute.state === "open" && <WithdrawButton event={dispute.event_id} />}
    </>
  );
}

function Offer({ event, left }: { event: string; left: number }) {
  const [isOpen, setOpen] = useState(false);
  if (left === 0) return <p className="quiet">You have disputed five events today. Please try again tomorrow (UTC).</p>;
  return (
    <>
      <p className="quiet">It names you, and it did not happen like this?</p>
      <Button onClick={() => setOpen(true)}>Dispute</Button>
      {isOpen && <DisputeForm event={event} left={left} onClose={() => setOpen(false)} />}
    </>
  );
}
