import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function LinkPage() {
  useTitle("Link your account");
  return (
    <div className="page">
      <h1>Link your account</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
