import { useNavigate } from "react-router";
import { home } from "../lib/paths";
import { Button, ButtonLink } from "../ui/button";
import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function NotFound() {
  useTitle("Not found");
  const navigate = useNavigate();
  const back = () => (window.history.length > 1 ? navigate(-1) : navigate(home));
  return (
    <div className="page">
      <h1 className="visually-hidden">Page not found</h1>
      <EmptyState title="Well, this is embarrassing.">
        <p>There is nothing at this address.</p>
        <p style={{ display: "flex", gap: "var(--s3)", justifyContent: "center", marginTop: "var(--s4)" }}>
          <Button onClick={back}>Back</Button>
          <ButtonLink look="primary" to={home}>
            Home
          </ButtonLink>
        </p>
      </EmptyState>
    </div>
  );
}
