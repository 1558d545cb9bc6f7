import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Api() {
  useTitle("API Documentation");
  return (
    <div className="page">
      <h1>API Documentation</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
