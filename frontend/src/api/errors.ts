// What can go wrong with a call, and what a visitor is told of it in general. Pages show their own text where the
// data would be; this mapping feeds the notification beside it. Nothing is shown from here.

/** A call that did not succeed. `status` 0 means that no HTTP answer came at all. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds to wait, from `Retry-After`. */
    readonly retryAfter: number | null = null,
    readonly requestId: string | null = null,
    /** The answer's object, when there was one. */
    readonly body: unknown = null,
  ) {
    super(message);
  }
}

export interface ErrorText {
  title: string;
  text: string;
  /** Whether signing in would help. */
  signIn: boolean;
}

/** The general text for a failure: 429, 401, 403, network, 5xx, else. */
export function errorText(error: unknown): ErrorText {
  const { status, code, message, retryAfter } = asApiError(error);
  const describe = (title: string, text: string, signIn = false): ErrorText => ({ title, text, signIn });
  if (status === 429 || code === "RATE_LIMIT_EXCEEDED") {
    const wait = retryAfter === null ? "a few minutes" : retryAfter === 1 ? "1 second" : `${retryAfter} seconds`;
    return describe(
      "Too Many Requests",
      `You're making requests too quickly. Please wait ${wait} before trying again.`,
    );
  }
  if (code === "SUSPICIOUS_ACCESS_BLOCKED") return describe("Access Restricted", message);
  if (status === 401 || code === "UNAUTHORIZED") return describe("Sign In Required", message, true);
  if (status === 403 || code === "FORBIDDEN") return describe("Access Denied", message);
  if (status === 0)
    return describe(
      "Connection Problem",
      "The server could not be reached. Please check your connection and try again.",
    );
  if (status >= 500) return describe("Server Error", message);
  return describe("Something Went Wrong", message);
}

/** The sentence that the server itself gave in a readable answer; empty when it gave none or its answer was unreadable. */
export function serverSentence(error: unknown): string {
  if (!(error instanceof ApiError) || error.body === null || typeof error.body !== "object") return "";
  const { error: sentence, message } = error.body as { error?: unknown; message?: unknown };
  return [sentence, message].find((text): text is string => typeof text === "string" && text !== "") ?? "";
}

/** What a failed act shows beside its button: the server's sentence, else the general text. */
export const failureSentence = (error: unknown): string => serverSentence(error) || errorText(error).text;

/** Anything thrown, as an `ApiError`; what is none counts as an error of this page. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(-1, "PAGE_ERROR", error instanceof Error ? error.message : String(error));
}
