import { whyCareer } from "../../api/opening";
import css from "./why-career.module.css";

/** Says why rankings open on the career, if they do. */
export function WhyCareer() {
  const why = whyCareer();
  return why && <p className={`quiet ${css.why}`}>{why}</p>;
}
