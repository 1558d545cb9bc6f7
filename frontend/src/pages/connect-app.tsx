import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function ConnectApp() {
  useTitle("Connect App");
  return (
    <div className="page">
      <h1>Connect App</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
