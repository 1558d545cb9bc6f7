//! T54: the guarantees of the container image, without a container engine: any uid, a read-only root, no capabilities, one writable
//! directory. `make daily`, as root.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::*;

/// Mounts a root with only the binary, its libraries and certificates, makes it read-only, and enters it with an unknown uid. The
/// mounts belong to this process and end with it.
const ENTER: &str = r#"
set -e
root=$1 data=$2 binary=$3 uid=$4
shift 4
mount -t tmpfs tmpfs "$root"
for needed in /usr/bin/setpriv $(ldd /usr/bin/setpriv "$binary" | grep -o '/[^ ]* (' | tr -d ' ('); do
    mkdir -p "$root$(dirname "$needed")"
    cp -L "$needed" "$root$needed"
done
mkdir -p "$root/proc" "$root/tmp" "$root/data" "$root/usr/local/bin"
cp -L "$binary" "$root/usr/local/bin/apogee"
mkdir -p "$root/etc/ssl"
cp -rL /etc/ssl/certs "$root/etc/ssl/certs"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
mount -o remount,ro "$root"
exec chroot "$root" /usr/bin/setpriv --reuid "$uid" --regid "$uid" --clear-groups --bounding-set=-all \
    --inh-caps=-all --no-new-privs /usr/local/bin/apogee "$@"
"#;

/// A command as the image runs it, with settings in the environment.
fn inside(root: &Path, data: &Path, uid: u32, args: &[&str]) -> Child {
    Command::new("unshare")
        .args(["--mount", "sh", "-c", ENTER, "enter"])
        .args([root, data, Path::new(&server::binary())])
        .arg(uid.to_string())
        .args(args)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("APOGEE_DATA_DIR", "/data")
        .env("APOGEE_LOG", "warn")
        .env("APOGEE_LISTEN", "127.0.0.1:0")
        .env("APOGEE_GAME_SITE_URL", "http://127.0.0.1:9")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The health check of the image, aimed at another port.
fn is_healthy(address: &str) -> bool {
    let dockerfile = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/Dockerfile")).unwrap();
    let line = dockerfile.lines().find(|line| line.contains("/dev/tcp/127.0.0.1/8080")).unwrap();
    let words: Vec<String> = serde_json::from_str(line.trim()).unwrap();
    let [program, flag, script] = &words[..] else { panic!("{words:?}") };
    let script = script.replace("127.0.0.1/8080", &address.trim_start_matches("http://").replace(':', "/"));
    Command::new(program).args([flag, &script]).status().unwrap().success()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "mounts a separate root, which takes root"]
async fn t54_the_server_runs_as_any_uid_on_a_read_only_root_with_one_writable_directory() {
    for uid in [65_532, 1_234] {
        let (root, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::chown(data.path(), Some(uid), Some(uid)).unwrap();
        let made = inside(root.path(), data.path(), uid, &["key", "create", "--name", "reader"]).wait_with_output();
        let made = made.unwrap();
        assert!(made.status.success());
        let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        let mut serving = inside(root.path(), data.path(), uid, &["serve"]);
        let mut lines = BufReader::new(serving.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.strip_prefix("listening on ")?.to_owned())).expect("it starts");
        let client = server::client();
        let body = serde_json::json!({ "events": npc_kills("Ann-1", 3, now() - DAY) });
        let sent = client.post(format!("{address}/api/ingest/events")).bearer_auth(key).json(&body).send().await;
        assert_eq!(sent.unwrap().status(), 200);
        let card = client.get(format!("{address}/og/player/Ann-1.png")).send().await.unwrap();
        assert_eq!(card.status(), 200, "fonts need no system directory");
        assert!(is_healthy(&address));
        assert!(Command::new("kill").args(["-TERM", &serving.id().to_string()]).status().unwrap().success());
        assert!(serving.wait().unwrap().success());
        assert!(!is_healthy(&address));
        assert!(data.path().join("apogee.db").exists() && data.path().join("secret").exists());
    }
}
