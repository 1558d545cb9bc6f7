import { type FormEvent, useId, useState } from "react";
import { fetchRaw, type RawResponse } from "../../api/client";
import type { ApiParameter } from "../../api/openapi";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy-button";
import css from "./route-list.module.css";

/** Longer responses are cut. Characters. */
const MAX_RESPONSE_LENGTH = 20_000;
const STREAM_PATHS = /\/api\/live$/;

type State = { is: "idle" | "sending" | "unreachable" } | ({ is: "received" } & RawResponse);

/** A form with the parameters of a GET route, and its response. */
export default function TryRoute({ path, parameters }: { path: string; parameters: readonly ApiParameter[] }) {
  const id = useId();
  const [values, setValues] = useState<Record<string, string>>({});
  const [state, setState] = useState<State>({ is: "idle" });
  if (STREAM_PATHS.test(path)) return <p className="quiet">This route is a stream. Open it with an EventSource.</p>;
  const filledPath = fillPath(path, values);
  const query = Object.fromEntries(
    parameters.flatMap(({ in: location, name }) => {
      const value = values[name];
      return location === "query" && value ? [[name, value]] : [];
    }),
  );
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setState({ is: "sending" });
    try {
      setState({ is: "received", ...(await fetchRaw(filledPath, query)) });
    } catch {
      setState({ is: "unreachable" });
    }
  };
  const search = new URLSearchParams(query).toString();
  const url = `${window.location.origin}${filledPath}${search && `?${search}`}`;
  return (
    <form className={css.form} onSubmit={(event) => void send(event)}>
      {parameters.map((one) => (
        <Field
          key={one.name}
          id={`${id}-${one.name}`}
          parameter={one}
          value={values[one.name] ?? ""}
          onChange={(value) => setValues({ ...values, [one.name]: value })}
        />
      ))}
      <div className={css.send}>
        <Button type="submit" size="small" variant="primary" disabled={state.is === "sending"}>
          Send
        </Button>
        <CopyButton size="small" label="Copy as curl" text={`curl '${url.replaceAll("'", "%27")}'`} />
      </div>
      <Result state={state} />
    </form>
  );
}

function Result({ state }: { state: State }) {
  return (
    <>
      <div role="status">
        {state.is === "sending" && <p className="quiet">Sending…</p>}
        {state.is === "unreachable" && <p>The server could not be reached.</p>}
        {state.is === "received" && (
          <p>
            <strong className="number">{state.status}</strong> <span className="quiet">in {state.ms} ms</span>
          </p>
        )}
      </div>
      {state.is === "received" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        <pre tabIndex={0}>
          <code>{formatResponse(state)}</code>
        </pre>
      )}
    </>
  );
}

interface FieldProps {
  id: string;
  parameter: ApiParameter;
  value: string;
  onChange: (value: string) => void;
}

function Field(props: FieldProps) {
  const { name, required, description } = props.parameter;
  return (
    <div className={css.field}>
      <label htmlFor={props.id}>
        <code>{name}</code>
        {required && <span className="quiet"> required</span>}
      </label>
      <Control {...props} />
      {description && <span className="quiet">{description}</span>}
    </div>
  );
}

function Control({ id, parameter: { name, required, schema }, value, onChange }: FieldProps) {
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
  let body = text;
  try {
    body = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON: shown unchanged.
  }
  return body.length > MAX_RESPONSE_LENGTH ? `${body.slice(0, MAX_RESPONSE_LENGTH)}\n…` : body;
}
