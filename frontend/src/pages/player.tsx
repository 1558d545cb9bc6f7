import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Player() {
  useTitle("Player");
  return (
    <div className="page">
      <h1>Player</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
