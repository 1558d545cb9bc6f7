import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Guides() {
  useTitle("Guides");
  return (
    <div className="page">
      <h1>Guides</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
