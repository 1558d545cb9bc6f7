import { Article } from "../features/site/article";
import { useTitle } from "../ui/use-title";

export default function Privacy() {
  useTitle("Privacy Policy");
  return <Article name="privacy" title="Privacy Policy" />;
}
