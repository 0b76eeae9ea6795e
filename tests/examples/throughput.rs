//! Our download, hashing included, against `curl` for the same file from the same server on loopback, in turns; and how
//! much memory it takes. The server makes the content up. Fails below 0.9 of `curl`, or if 100 MB of memory are taken.
//!
//! ```text
//! cargo run --release -p tests --example throughput -- [megabytes] [turns] [folder]
//! ```

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use hub::Limits;
use tests::{
    Outcome,
    hub::{Client, Content, FakeHub, Repo},
};

const ID: &str = "owner/name";
const FILE: &str = "model.safetensors";

/// The least share of what `curl` brings about.
const LEAST: f64 = 0.9;

/// The most memory, kB.
const MOST: u64 = 100_000;

fn main() -> Outcome {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [endpoint, root] = &arguments[..]
        && endpoint.starts_with("http")
    {
        return download(endpoint, Path::new(root));
    }
    let number = |at: usize, usual: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (megabytes, turns) = (number(0, 2048), number(1, 5));
    let folder = arguments.get(2).map_or_else(env::temp_dir, PathBuf::from);
    let repo = Repo::new(ID).large(FILE, Content::noise(megabytes << 20, 1));
    let fake = FakeHub::start(vec![repo.clone()])?;
    let size = repo.files[0].listed.size();
    // What is listed takes a while to compute, once.
    let _ = repo.files[0].listed.hash(true);
    let address = format!("{}/{ID}/resolve/{}/{FILE}", fake.endpoint(), repo.commit);
    let mut ratios = Vec::new();
    for turn in 1..=turns {
        let work = tempfile::tempdir_in(&folder)?;
        let (curl, curl_busy) = timed(|| curl(&address, &work.path().join("curl")))?;
        fs::remove_file(work.path().join("curl"))?;
        let (ours, our_busy) = timed(|| ours(&fake.endpoint(), &work.path().join("store")))?;
        ratios.push(curl / ours);
        #[expect(clippy::cast_precision_loss, reason = "a few gigabytes")]
        let rate = |seconds: f64| size as f64 / seconds / 1e6;
        println!("turn {turn}: curl {:.0} MB/s, ours {:.0} MB/s, ratio {:.2}", rate(curl), rate(ours), curl / ours);
        println!("  seconds of processors: curl {curl_busy:.2}, ours {our_busy:.2}");
    }
    ratios.sort_by(f64::total_cmp);
    let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
    let median = ratios[ratios.len() / 2];
    println!("ours / curl: median {median:.2}, from {least:.2} to {most:.2}");
    if median < LEAST { Err(format!("less than {LEAST} of curl").into()) } else { Ok(()) }
}

/// How many seconds `work` took, and how many its processes used a processor.
fn timed(work: impl FnOnce() -> Outcome) -> Outcome<(f64, f64)> {
    let (start, before) = (Instant::now(), children()?);
    work()?;
    Ok((start.elapsed().as_secs_f64(), children()? - before))
}

/// Seconds of processors that the children used that have ended, in ticks of a hundredth; none where nobody counts.
fn children() -> Outcome<f64> {
    let Ok(status) = fs::read_to_string("/proc/self/stat") else { return Ok(0.0) };
    let fields: Vec<&str> = status.split_whitespace().collect();
    Ok((fields[15].parse::<f64>()? + fields[16].parse::<f64>()?) / 100.0)
}

fn curl(address: &str, to: &Path) -> Outcome {
    let status = Command::new("curl").args(["-sSfL", "-o"]).arg(to).arg(address).status()?;
    if status.success() { Ok(()) } else { Err("curl failed".into()) }
}

fn ours(endpoint: &str, root: &Path) -> Outcome {
    let status = Command::new(env::current_exe()?).arg(endpoint).arg(root).status()?;
    if status.success() { Ok(()) } else { Err("our download failed".into()) }
}

/// What the child does: one download, and the most memory that it took.
#[tokio::main]
async fn download(endpoint: &str, root: &Path) -> Outcome {
    Client::new(endpoint, root, None, Limits { reserve: 0, ..Limits::default() })?.download(ID).await?;
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        println!("  {peak}");
        if peak.split_whitespace().nth(1).ok_or("no peak")?.parse::<u64>()? >= MOST {
            return Err(format!("{MOST} kB of memory or more").into());
        }
    }
    Ok(())
}
