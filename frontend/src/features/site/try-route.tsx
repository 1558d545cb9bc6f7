import { type FormEvent, useId, useState } from "react";
import { fetchRaw, type RawResponse } from "../../api/client";
import type { ApiParameter } from "../../api/openapi";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy-button";
import css from "./route-list.module.css";

/** Longer responses are cut. Characters. */
const MAX_RESPONSE_LENGTH = 20_000;
const STREAM_PATHS = /\/api\/live$/;

type State = { is: "idle" | "asking" | "unreachable" } | ({ is: "answered" } & RawResponse);

/** A form with the parameters of a GET route, and its response. */
export default function TryRoute({ path, parameters }: { path: string; parameters: readonly ApiParameter[] }) {
  const id = useId();
  const [values, setValues] = useState<Record<string, string>>({});
  const [state, setState] = useState<State>({ is: "idle" });
  const address = fillPath(path, values);
  const query = Object.fromEntries(
    parameters.filter((one) => one.in === "query" && values[one.name]).map((one) => [one.name, values[one.name]]),
  );
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setState({ is: "asking" });
    try {
      setState({ is: "answered", ...(await fetchRaw(address, query)) });
    } catch {
      setState({ is: "unreachable" });
    }
  };
  if (STREAM_PATHS.test(path)) return <p className="quiet">This route is a stream. Open it with an EventSource.</p>;
  const search = new URLSearchParams(query as Record<string, string>).toString();
  const url = `${window.location.origin}${address}${search && `?${search}`}`;
  return (
    <form className={css.form} onSubmit={(event) => void send(event)}>
      {parameters.map((one) => (
        <div key={one.name} className={css.field}>
          <label htmlFor={`${id}-${one.name}`}>
            <code>{one.name}</code>
            {one.required && <span className="quiet"> required</span>}
          </label>
          <Field
            id={`${id}-${one.name}`}
            parameter={one}
            value={values[one.name] ?? ""}
            onChange={(value) => setValues({ ...values, [one.name]: value })}
          />
          {one.description && <span className="quiet">{one.description}</span>}
        </div>
      ))}
      <div className={css.send}>
        <Button type="submit" size="small" variant="primary" disabled={state.is === "asking"}>
          Send
        </Button>
        <CopyButton size="small" label="Copy as curl" text={`curl '${url.replaceAll("'", "%27")}'`} />
      </div>
      <div role="status" className={css.answer}>
        {state.is === "asking" && <p className="quiet">Sending…</p>}
        {state.is === "unreachable" && <p>The server could not be reached.</p>}
        {state.is === "answered" && (
          <p>
            <strong className="number">{state.status}</strong> <span className="quiet">in {state.ms} ms</span>
          </p>
        )}
      </div>
      {state.is === "answered" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        <pre tabIndex={0}>
          <code>{formatResponse(state)}</code>
        </pre>
      )}
    </form>
  );
}

function Field({
  id,
  parameter: { name, required, schema },
  value,
  onChange,
}: {
  id: string;
  parameter: ApiParameter;
  value: string;
  onChange: (value: string) => void;
}) {
  if (schema?.enum) {
    return (
      <select id={id} name={name} required={required} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{required ? "Choose" : "default"}</option>
        {schema.enum.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    );
  }
  const preset = schema?.default;
  return (
    <input
      id={id}
      name={name}
      required={required}
      value={value}
      placeholder={preset === undefined || preset === null ? undefined : String(preset)}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

const fillPath = (path: string, values: Record<string, string>) =>
  path.replace(/\{([^}]+)\}/g, (whole, name: string) => (values[name] ? encodeURIComponent(values[name]) : whole));

function formatResponse({ text, contentType }: RawResponse): string {
  if (/^image\//.test(contentType)) return `(${contentType})`;
  let written = text;
  try {
    written = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON: shown unchanged.
  }
  return written.length > MAX_RESPONSE_LENGTH ? `${written.slice(0, MAX_RESPONSE_LENGTH)}\n…` : written;
}
