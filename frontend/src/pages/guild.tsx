import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Guild() {
  useTitle("Guild");
  return (
    <div className="page">
      <h1>Guild</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
