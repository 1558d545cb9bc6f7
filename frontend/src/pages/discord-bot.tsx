import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function DiscordBot() {
  useTitle("Discord bot");
  return (
    <div className="page">
      <h1>Discord bot</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
