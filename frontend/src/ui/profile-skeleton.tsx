import css from "./profile-header.module.css";
import { Skeleton } from "./states";

/** A placeholder of a profile header. */
export function ProfileSkeleton({ title }: { title: string }) {
  return (
    <div className={css.skeleton} aria-busy="true">
      <div className={css.banner} aria-hidden="true" />
      <div className={css.row}>
        <span className={css.picture} style={{ width: 128, height: 128 }}>
          <Skeleton height="100%" />
        </span>
        <div className={css.title} role="status">
          <h1>{title}</h1>
        </div>
        <p className={css.meta}>Fetching the latest data...</p>
      </div>
    </div>
  );
}
