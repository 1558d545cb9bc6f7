import { useNavigate } from "react-router";
import { home } from "../lib/paths";
import { Button, ButtonLink } from "../ui/button";
import { useTitle } from "../ui/use-title";
import css from "./not-found.module.css";

/** The page of unknown paths. */
export default function NotFound() {
  useTitle("Not found");
  const navigate = useNavigate();
  const back = () => (window.history.length > 1 ? navigate(-1) : navigate(home));
  return (
    <div className={`page ${css.page}`}>
      <StrayPlanet />
      <p className={css.code} aria-hidden="true">
        404
      </p>
      <h1>Well, this is embarrassing.</h1>
      <p className={css.text}>There is nothing at this address.</p>
      <div className={css.actions}>
        <ButtonLink variant="primary" to={home}>
          Home
        </ButtonLink>
        <Button onClick={back}>Back</Button>
      </div>
    </div>
  );
}

/** The site's logo with the planet off its orbit. */
function StrayPlanet() {
  return (
    <svg viewBox="0 0 400 240" fill="none" aria-hidden="true" className={css.illustration}>
      <ellipse cx="200" cy="120" rx="180" ry="72" transform="rotate(-18 200 120)" stroke="var(--line-strong)" />
      <path d="M352 68 L392 16" stroke="var(--signal)" strokeDasharray="2 6" />
      <circle cx="200" cy="120" r="22" fill="var(--raised-2)" stroke="var(--line-strong)" />
      <circle cx="392" cy="16" r="5" fill="var(--signal)" />
    </svg>
  );
}
