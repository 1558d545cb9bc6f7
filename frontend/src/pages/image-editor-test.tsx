import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";

export default function ImageEditorTest() {
  useTitle("Image editor test");
  return (
    <div className="page">
      <h1>Image editor test</h1>
      <EmptyState title="Not built yet" />
    </div>
  );
}
