// Grades of events in plain words.
import {
  BadgeCheck,
  Binoculars,
  CircleUserRound,
  Handshake,
  type LucideIcon,
  ShieldCheck,
  ShieldQuestionMark,
} from "lucide-react";

export interface Grade {
  label: string;
  /** One sentence about the reports. */
  text: string;
  icon: LucideIcon;
}

const GRADES: Record<string, Grade> = {
  operator: { label: "Operator", text: "The operator of this site reported it.", icon: ShieldCheck },
  confirmed: { label: "Confirmed", text: "Independent accounts of both sides reported it.", icon: BadgeCheck },
  conceded: { label: "Conceded", text: "Only the side that it counts against reported it.", icon: Handshake },
  self_reported: {
    label: "Self-reported",
    text: "Only the side that it counts for reported it.",
    icon: CircleUserRound,
  },
  third_party: { label: "Third party", text: "Nobody who took part reported it.", icon: Binoculars },
};

/** The grade of this name. A newer server may have others. */
export function gradeOf(name: string): Grade {
  return (
    GRADES[name] ?? {
      label: name.replaceAll("_", " "),
      text: "This page does not know the grade.",
      icon: ShieldQuestionMark,
    }
  );
}
