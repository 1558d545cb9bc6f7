import { Article } from "../features/site/article";
import { useTitle } from "../ui/use-title";

export default function Terms() {
  useTitle("Terms of Service");
  return <Article name="terms" title="Terms of Service" />;
}
