import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function Home() {
  useTitle("Home");
  return (
    <div className="page">
      <h1>Home</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
