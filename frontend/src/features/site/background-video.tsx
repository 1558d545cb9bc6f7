import { useEffect, useRef, useState } from "react";
import { fileExists } from "../../api/client";
import { isInView } from "../../ui/is-in-view";
import { prefersReducedMotion } from "../../ui/reduced-motion";
import css from "./background-video.module.css";

/** The video is abandoned after this time. */
const READY_TIMEOUT_MS = 5_000;
const IMAGE_COUNT = 7;
/** `HTMLMediaElement.HAVE_FUTURE_DATA`. */
const FUTURE_DATA = 3;

// Chosen once per visit, since React may render more than once and each render would fetch another picture. On the first page,
// the server's preload decides.
const FIRST_IMAGE = preloadedImage() ?? Math.floor(Math.random() * IMAGE_COUNT);
/** As in the style sheets: a phone in portrait, which crops a wide picture to its middle. */
const TALL_SCREEN = "(max-width: 768px) and (orientation: portrait)";

interface BackgroundVideoProps {
  /** The URL of a silent looping video. */
  video: string;
  /** Distinguishes several pictures of one page. */
  imageOffset: number;
  /** Loads the picture first. Others load when they are near the viewport. */
  isFirst?: boolean;
  /** The user has paused the video. */
  isPaused: boolean;
  /** Called when the video starts to play, so that a pause button can be offered. */
  onPlaying?: () => void;
}

/**
 * A background with one of seven pictures. A video fades in over it, unless it is missing, fails, stalls or is late, or the
 * user prefers reduced motion or reduced data. Without both, the background is plain.
 */
export function BackgroundVideo({ video, imageOffset, isFirst = false, isPaused, onPlaying }: BackgroundVideoProps) {
  const element = useRef<HTMLVideoElement>(null);
  const [state, setState] = useVideoState(video);
  useEffect(() => {
    const node = element.current;
    if (!node || state === "none") return;
    if (isPaused) {
      node.pause();
      return;
    }
    // Pauses outside of the viewport.
    const observer = new IntersectionObserver((entries) => {
      if (isInView(entries)) void node.play()?.catch(() => setState("none"));
      else node.pause();
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, [state, setState, isPaused]);
  return (
    <div className={css.backdrop} aria-hidden="true">
      <Picture number={1 + ((FIRST_IMAGE + imageOffset) % IMAGE_COUNT)} isFirst={isFirst} />
      {state !== "none" && (
        <video
          ref={element}
          src={video}
          muted
          loop
          playsInline
          preload="auto"
          tabIndex={-1}
          data-playing={state === "playing"}
          onCanPlay={() => {
            setState("playing");
            onPlaying?.();
          }}
          onError={() => setState("none")}
          onStalled={(event) => event.currentTarget.readyState < FUTURE_DATA && setState("none")}
        />
      )}
    </div>
  );
}

type VideoState = "none" | "waiting" | "playing";

/** Starts as `none`, becomes `waiting` if the video exists, and `none` again unless it plays within `READY_TIMEOUT_MS`. */
function useVideoState(video: string): [VideoState, (state: VideoState) => void] {
  const [state, setState] = useState<VideoState>("none");
  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    if (prefersReducedMotion() || connection?.saveData) return;
    let isCancelled = false;
    const timer = setTimeout(() => {
      isCancelled = true;
      setState((was) => (was === "playing" ? was : "none"));
    }, READY_TIMEOUT_MS);
    void fileExists(video).then((exists) => {
      if (exists && !isCancelled) setState("waiting");
    });
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  }, [video]);
  return [state, setState];
}

function Picture({ number, isFirst }: { number: number; isFirst: boolean }) {
  const [isBroken, setBroken] = useState(false);
  const file = `/static/images/home-${number}`;
  if (isBroken) return null;
  return (
    <picture>
      <source media={TALL_SCREEN} srcSet={`${file}-tall.webp`} />
      <img
        src={`${file}.webp`}
        alt=""
        loading={isFirst ? "eager" : "lazy"}
        fetchPriority={isFirst ? "high" : "auto"}
        onError={() => setBroken(true)}
      />
    </picture>
  );
}

function preloadedImage(): number | undefined {
  const href = document.querySelector('link[rel="preload"][as="image"]')?.getAttribute("href");
  const number = /home-(\d+)/.exec(href ?? "")?.[1];
  return number === undefined ? undefined : Number(number) - 1;
}
