import { useEffect } from "react";
import { useNavigate } from "react-router";
import { profileAddress } from "../features/sessions/profile-redirect";
import { Spinner } from "../ui/states";
import { useTitle } from "../ui/use-title";

/** Redirects to the user's player, to the claim page if there is none, or to the link page if nobody is signed in. */
export default function Profile() {
  useTitle("My profile");
  const navigate = useNavigate();
  useEffect(() => {
    let isCancelled = false;
    void profileAddress().then((address) => !isCancelled && navigate(address, { replace: true }));
    return () => {
      isCancelled = true;
    };
  }, [navigate]);
  return (
    <div className="page">
      <h1 className="visually-hidden">My profile</h1>
      <Spinner label="Loading…" />
    </div>
  );
}
