import { Article } from "../features/site/article";
import { useTitle } from "../ui/use-title";

export default function About() {
  useTitle("About");
  return <Article name="about" title="About" />;
}
