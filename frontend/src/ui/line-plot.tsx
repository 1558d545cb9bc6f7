import { useEffect, useRef } from "react";
import { exact } from "../lib/numbers";
import { TableTwin } from "./bar-plot";
import css from "./plot.module.css";

interface LinePlotProps {
  title: string;
  /** `YYYY-MM-DD`, oldest first. */
  days: readonly string[];
  values: readonly number[];
  unit: string;
  /** A token's name, such as `--metric-pvp`. */
  hue?: string;
  height?: number;
}

/** An area over days. The drawing library comes when the plot is first on screen; the place is kept from the start. */
export function LinePlot({ title, days, values, unit, hue = "--text", height = 160 }: LinePlotProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || days.length === 0 || typeof CanvasRenderingContext2D === "undefined") return;
    let gone = false;
    let clean = () => {};
    const draw = () =>
      void Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]).then(([{ default: Plot }]) => {
        if (gone) return;
        const styles = getComputedStyle(document.documentElement);
        const token = (name: string) => styles.getPropertyValue(name).trim();
        const colour = token(hue).startsWith("var(") ? token("--text") : token(hue);
        const axis = { stroke: token("--quiet"), grid: { stroke: token("--line"), width: 1 }, ticks: { show: false } };
        const plot = new Plot(
          {
            width: element.clientWidth,
            height,
            legend: { show: false },
            cursor: { y: false, points: { size: 8 } },
            series: [{}, { label: unit, stroke: colour, fill: `${colour}22`, width: 1.5, points: { show: false } }],
            axes: [axis, { ...axis, size: 44 }],
          },
          [days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000), [...values]],
          element,
        );
        const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
        observer.observe(element);
        clean = () => {
          observer.disconnect();
          plot.destroy();
        };
      });
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      draw();
    });
    seen.observe(element);
    return () => {
      gone = true;
      seen.disconnect();
      clean();
    };
  }, [days, values, unit, hue, height]);
  return (
    <figure>
      <TableTwin title={title} heads={["Day", unit]} rows={days.map((day, at) => [day, exact(values[at] ?? 0)])} />
      <div ref={box} aria-hidden="true" className={css.line} style={{ height }} />
    </figure>
  );
}
