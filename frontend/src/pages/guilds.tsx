import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Guilds() {
  useTitle("Guild Rating");
  return (
    <div className="page">
      <h1>Guild Rating</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
