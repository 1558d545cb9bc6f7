import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Claim() {
  useTitle("Claim your profile");
  return (
    <div className="page">
      <h1>Claim your profile</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
