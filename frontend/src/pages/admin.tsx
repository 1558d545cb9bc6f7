import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Admin() {
  useTitle("Admin");
  return (
    <div className="page">
      <h1>Admin</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
