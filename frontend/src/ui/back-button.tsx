import { ArrowLeft } from "lucide-react";
import { useNavigate } from "react-router";
import { home } from "../lib/paths";
import { Button } from "./button";

/** Goes back, or home if this is the first page of the visit. */
export function BackButton() {
  const navigate = useNavigate();
  // The router numbers the history entries of a visit from 0.
  const back = () => {
    const historyIndex = (window.history.state as { idx?: number } | null)?.idx ?? 0;
    return historyIndex > 0 ? navigate(-1) : navigate(home);
  };
  return (
    <Button size="small" onClick={back}>
      <ArrowLeft size={16} aria-hidden="true" />
      Back
    </Button>
  );
}
