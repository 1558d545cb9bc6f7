import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Profile() {
  useTitle("Profile");
  return (
    <div className="page">
      <h1>Profile</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
