import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Terms() {
  useTitle("Terms of Service");
  return (
    <div className="page">
      <h1>Terms of Service</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
