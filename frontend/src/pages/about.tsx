import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function About() {
  useTitle("Team");
  return (
    <div className="page">
      <h1>Team</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
