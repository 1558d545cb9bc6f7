import { ExternalLink } from "../../ui/button";
import { useSite } from "./use-site";

/** A line with the contact of the site, which is a mail address, a URL or a text. Renders nothing if none is set. */
export function Contact({ label, subject }: { label: string; subject: string }) {
  const { support_contact: contact } = useSite();
  if (contact === "") return null;
  const isMail = /^[^\s@:/]+@[^\s@]+$/.test(contact);
  const mail = `mailto:${contact}?subject=${encodeURIComponent(subject)}`;
  return (
    <p className="quiet">
      {label}: {isMail ? <a href={mail}>{contact}</a> : <TextOrUrl text={contact} />}
    </p>
  );
}

function TextOrUrl({ text }: { text: string }) {
  return /^https?:\/\//i.test(text) ? <ExternalLink href={text}>{text}</ExternalLink> : text;
}
