import { ArrowLeft } from "lucide-react";
import { useNavigate } from "react-router";
import { home } from "../lib/paths";
import { Button } from "./button";

/** Back to the page before, or home when this is the first page of the visit. */
export function BackButton() {
  const navigate = useNavigate();
  // The router numbers the pages of a visit; 0 is where it began.
  const back = () => {
    const at = (window.history.state as { idx?: number } | null)?.idx ?? 0;
    return at > 0 ? navigate(-1) : navigate(home);
  };
  return (
    <Button size="small" onClick={back}>
      <ArrowLeft size={16} aria-hidden="true" />
      Back
    </Button>
  );
}
