import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Privacy() {
  useTitle("Privacy Policy");
  return (
    <div className="page">
      <h1>Privacy Policy</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
