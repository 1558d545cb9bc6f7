import { useEffect } from "react";
import { useNavigate } from "react-router";
import { profileAddress } from "../features/sessions/profile-redirect";
import { Spinner } from "../ui/states";
import { useTitle } from "../ui/use-title";

/** An address for *mine*: it leads on to the own player, to the claim page without one, to the link page when signed out. */
export default function Profile() {
  useTitle("My profile");
  const navigate = useNavigate();
  useEffect(() => {
    let gone = false;
    void profileAddress().then((address) => !gone && navigate(address, { replace: true }));
    return () => {
      gone = true;
    };
  }, [navigate]);
  return (
    <div className="page">
      <h1 className="visually-hidden">My profile</h1>
      <Spinner label="Loading…" />
    </div>
  );
}
