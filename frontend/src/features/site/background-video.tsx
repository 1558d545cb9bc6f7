import { useEffect, useRef, useState } from "react";
import { fileExists } from "../../api/client";
import { isInView } from "../../ui/is-in-view";
import css from "./background-video.module.css";

/** A film that is not ready after this long is given up. */
const READY_TIMEOUT_MS = 5_000;
const IMAGE_COUNT = 7;
/** `HTMLMediaElement.HAVE_FUTURE_DATA`: there is something to go on with. */
const FUTURE_DATA = 3;

// Chosen once a visit: React may draw a panel more than once before it stands, and a picture is fetched as soon as it is drawn.
// Where a visit begins on the first page, the server has chosen already, and the picture is on its way.
const FIRST_IMAGE = preloadedImage() ?? Math.floor(Math.random() * IMAGE_COUNT);
/** As in the style sheets: a phone held upright, which sees the middle of a wide picture. */
const TALL_SCREEN = "(max-width: 768px) and (orientation: portrait)";

interface BackgroundVideoProps {
  /** A silent film to loop. */
  video: string;
  /** Which of the pictures that stand on one page. */
  imageOffset: number;
  /** Whether it is the first thing seen. Others are fetched when they come near. */
  isFirst?: boolean;
  /** Holds the film still, by the visitor's wish. */
  isPaused: boolean;
  /** Told once the film plays, so that a button to hold it can be offered. */
  onPlaying?: () => void;
}

/**
 * What moves behind a panel. One of seven pictures stands there from the start; a film fades in over it, unless it is
 * missing, fails, stalls, is late, or the visitor wants no motion or few data. Without picture and film it is plain ground.
 */
export function BackgroundVideo({ video, imageOffset, isFirst = false, isPaused, onPlaying }: BackgroundVideoProps) {
  const image = `/static/images/home-${1 + ((FIRST_IMAGE + imageOffset) % IMAGE_COUNT)}`;
  const [imageBroken, setImageBroken] = useState(false);
  const [videoState, setVideoState] = useState<"none" | "waiting" | "playing">("none");
  const element = useRef<HTMLVideoElement>(null);

  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches || connection?.saveData) return;
    let isCancelled = false;
    const giveUp = () => setVideoState((was) => (was === "playing" ? was : "none"));
    const timer = setTimeout(() => {
      isCancelled = true;
      giveUp();
    }, READY_TIMEOUT_MS);
    void fileExists(video).then((there) => {
      if (there && !isCancelled) setVideoState("waiting");
    });
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  }, [video]);

  useEffect(() => {
    const node = element.current;
    if (!node || videoState === "none") return;
    if (isPaused) {
      node.pause();
      return;
    }
    // Out of sight it costs nothing.
    const observer = new IntersectionObserver((entries) => {
      if (isInView(entries)) void node.play()?.catch(() => setVideoState("none"));
      else node.pause();
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, [videoState, isPaused]);

  return (
    <div className={css.backdrop} aria-hidden="true">
      {!imageBroken && (
        <picture>
          <source media={TALL_SCREEN} srcSet={`${image}-tall.webp`} />
          <img
            src={`${image}.webp`}
            alt=""
            loading={isFirst ? "eager" : "lazy"}
            fetchPriority={isFirst ? "high" : "auto"}
            onError={() => setImageBroken(true)}
          />
        </picture>
      )}
      {videoState !== "none" && (
        <video
          ref={element}
          src={video}
          muted
          loop
          playsInline
          preload="auto"
          tabIndex={-1}
          data-playing={videoState === "playing"}
          onCanPlay={() => {
            setVideoState("playing");
            onPlaying?.();
          }}
          onError={() => setVideoState("none")}
          onStalled={(event) => event.currentTarget.readyState < FUTURE_DATA && setVideoState("none")}
        />
      )}
    </div>
  );
}

function preloadedImage(): number | undefined {
  const href = document.querySelector('link[rel="preload"][as="image"]')?.getAttribute("href");
  const number = /home-(\d+)/.exec(href ?? "")?.[1];
  return number === undefined ? undefined : Number(number) - 1;
}
