import { Name } from "../../ui/name";
import { useTranslation } from "./use-translation";

/** Stands for the handle while the text is formatted. No text of the reader contains it. */
const PLACE = "\0";

interface TextWithHandleProps {
  /** The key of a text with `{handle}`. */
  of: string;
  handle: string;
  values?: Record<string, string>;
}

/** A text of the reader around a handle. */
export function TextWithHandle({ of, handle, values }: TextWithHandleProps) {
  const t = useTranslation();
  const [before, after] = t(of, { ...values, handle: PLACE }).split(PLACE);
  return (
    <>
      {before}
      <Name>{handle}</Name>
      {after}
    </>
  );
}
