// Errors of API calls and their general texts. Pages show their own text in place of the data; these texts are for the
// notification beside it.

/** An API call that failed. `status` is 0 if there was no HTTP response. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds to wait, from `Retry-After`. */
    readonly retryAfter: number | null = null,
    readonly requestId: string | null = null,
    /** The response object, if there was one. */
    readonly body: unknown = null,
  ) {
    super(message);
  }
}

export interface ErrorText {
  title: string;
  text: string;
  /** The user can fix the error by signing in. */
  signIn: boolean;
}

/** Returns the general text for an error. */
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

/** Returns the server's error message, or an empty string if the response had none or was unreadable. */
export function serverSentence(error: unknown): string {
  if (!(error instanceof ApiError) || error.body === null || typeof error.body !== "object") return "";
  const { error: sentence, message } = error.body as { error?: unknown; message?: unknown };
  return [sentence, message].find((text): text is string => typeof text === "string" && text !== "") ?? "";
}

/** Returns the text to show beside a failed action: the server's message, else the general text. */
export const failureSentence = (error: unknown): string => serverSentence(error) || errorText(error).text;

/** Converts anything thrown to an `ApiError`. Other errors get status -1: they are errors of the page. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(-1, "PAGE_ERROR", error instanceof Error ? error.message : String(error));
}
