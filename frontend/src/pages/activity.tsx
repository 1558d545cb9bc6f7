import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Activity() {
  useTitle("Activity");
  return (
    <div className="page">
      <h1>Activity</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
