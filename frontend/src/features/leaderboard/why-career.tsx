import { whyCareer } from "../../api/opening";

/** Says why rankings open on the career, if they do. */
export function WhyCareer() {
  const why = whyCareer();
  return why && <p className="quiet">{why}</p>;
}
