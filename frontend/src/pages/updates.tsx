import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Updates() {
  useTitle("Updates & Changes");
  return (
    <div className="page">
      <h1>Updates &amp; Changes</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
