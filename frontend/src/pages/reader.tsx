// The log reader's page on the user's machine: events, session totals, and uploads.
import { clsx } from "clsx";
import { useEffect } from "react";
import { ApiError } from "../api/errors";
import { changeReader, offlineTexts, type ReaderPage, storeReaderToken } from "../api/reader";
import { useLiveState } from "../features/live/use-live";
import { Feed } from "../features/reader/feed";
import { SessionStrip } from "../features/reader/session-strip";
import { isSetUp, Setup } from "../features/reader/setup";
import { Settings, Upload } from "../features/reader/side";
import { useReader } from "../features/reader/use-reader";
import { useReaderChange } from "../features/reader/use-reader-change";
import { TranslationsProvider, useTranslation } from "../features/reader/use-translation";
import { Select } from "../ui/select";
import { ErrorState, Spinner } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./reader.module.css";

// The first call needs the token.
storeReaderToken();

export default function Reader() {
  const page = useReader();
  useEffect(() => {
    if (page.data) document.documentElement.lang = page.data.state.language;
  }, [page.data]);
  if (page.isPending) return <Spinner label="…" />;
  if (!page.data) {
    const isForeign = page.error instanceof ApiError && page.error.status === 401;
    const { foreign, lost } = offlineTexts();
    return (
      <main className="page">
        <ErrorState title={isForeign ? foreign : lost} onRetry={() => void page.refetch()} />
      </main>
    );
  }
  return (
    <TranslationsProvider value={page.data.words}>
      <Dashboard page={page.data} lost={page.isError} />
    </TranslationsProvider>
  );
}

function Dashboard({ page, lost }: { page: ReaderPage; lost: boolean }) {
  const t = useTranslation();
  const live = useLiveState();
  const { change } = useReaderChange();
  const { state } = page;
  const setUp = isSetUp(state);
  useTitle(t("p_title"), "Apogee");
  const isLost = lost || live === "reconnecting";
  return (
    <main className={clsx("page", css.page)}>
      <header className={css.head}>
        <h1>
          Apogee <span className="quiet">{t("p_title")}</span>
        </h1>
        <span className={clsx("label", css.sign)} data-state={isLost ? "lost" : "live"} role="status">
          {isLost ? t("p_lost") : t("p_live")}
        </span>
        <Select
          label={t("p_language")}
          hideLabel
          value={state.language}
          options={page.languages.map(({ code, name }) => ({ value: code, label: name }))}
          onChange={(language) => void change(changeReader({ language }))}
        />
      </header>
      {!setUp && <Setup state={state} />}
      <SessionStrip state={state} />
      <div className={css.columns}>
        <Feed rows={page.rows} kinds={page.kinds} language={state.language} />
        <aside>
          <Upload page={page} />
          <Settings page={page} setUp={setUp} />
        </aside>
      </div>
    </main>
  );
}
