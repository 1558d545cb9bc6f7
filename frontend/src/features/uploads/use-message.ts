import { useEffect, useState } from "react";

const ERROR_DURATION_MS = 8_000;
const SUCCESS_DURATION_MS = 5_000;

/** Errors and successes disappear after a while; notes remain. */
export interface Message {
  tone: "error" | "success" | "note";
  text: string;
}

export function useMessage() {
  const [message, setMessage] = useState<Message | null>(null);
  useEffect(() => {
    if (!message || message.tone === "note") return;
    const duration = message.tone === "error" ? ERROR_DURATION_MS : SUCCESS_DURATION_MS;
    const timer = setTimeout(() => setMessage(null), duration);
    return () => clearTimeout(timer);
  }, [message]);
  return [message, setMessage] as const;
}
