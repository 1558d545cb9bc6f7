import { useEffect, useRef, useState } from "react";
import { fileExists } from "../../api/client";
import css from "./backdrop.module.css";

/** A film that is not ready after this long is given up. */
const READY_MS = 5_000;
const IMAGES = 7;
/** `HTMLMediaElement.HAVE_FUTURE_DATA`: there is something to go on with. */
const FUTURE_DATA = 3;

interface BackdropProps {
  /** A silent film to loop. */
  video: string;
  /** Holds the film still, by the visitor's wish. */
  paused: boolean;
  /** Told once the film plays, so that a button to hold it can be offered. */
  onPlaying?: () => void;
}

/**
 * What moves behind a panel. One of seven pictures stands there from the start; a film fades in over it, unless it is
 * missing, fails, stalls, is late, or the visitor wants no motion or few data. Without picture and film it is plain ground.
 */
export function Backdrop({ video, paused, onPlaying }: BackdropProps) {
  const [image] = useState(() => `/static/images/home-${1 + Math.floor(Math.random() * IMAGES)}.webp`);
  const [imageBroken, setImageBroken] = useState(false);
  const [film, setFilm] = useState<"none" | "waiting" | "playing">("none");
  const element = useRef<HTMLVideoElement>(null);

  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches || connection?.saveData) return;
    let left = false;
    const giveUp = () => setFilm((was) => (was === "playing" ? was : "none"));
    const timer = setTimeout(() => {
      left = true;
      giveUp();
    }, READY_MS);
    void fileExists(video).then((there) => {
      if (there && !left) setFilm("waiting");
    });
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [video]);

  useEffect(() => {
    const node = element.current;
    if (!node || film === "none") return;
    if (paused) {
      node.pause();
      return;
    }
    // Out of sight it costs nothing.
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) void node.play()?.catch(() => setFilm("none"));
      else node.pause();
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, [film, paused]);

  return (
    <div className={css.backdrop} aria-hidden="true">
      {!imageBroken && <img src={image} alt="" fetchPriority="high" onError={() => setImageBroken(true)} />}
      {film !== "none" && (
        <video
          ref={element}
          src={video}
          poster={imageBroken ? undefined : image}
          muted
          loop
          playsInline
          preload="auto"
          tabIndex={-1}
          data-playing={film === "playing"}
          onCanPlay={() => {
            setFilm("playing");
            onPlaying?.();
          }}
          onError={() => setFilm("none")}
          onStalled={(event) => event.currentTarget.readyState < FUTURE_DATA && setFilm("none")}
        />
      )}
    </div>
  );
}
