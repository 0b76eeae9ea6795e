//! A library: an app in surroundings of its own, a Hub that it downloads from, and models that can be there.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use app::{App, Download, DownloadState, Got, Offer, Surroundings};
use hub::Limits;
use tempfile::TempDir;

use crate::{
    Outcome,
    hub::{Content, FakeHub, Repo, hasty},
    tiny,
};

/// The repo of the tiny target, which no name gives away.
pub const TARGET: &str = "Owner/One";
/// The repo of the tiny drafter.
pub const DRAFTER: &str = "Owner/Two";

/// The surroundings of an app.
pub struct Bench {
    /// The Hub.
    pub fake: FakeHub,
    /// Where everything lies.
    pub folder: TempDir,
    /// How hard downloads try.
    pub limits: Limits,
    models: TempDir,
}

impl Bench {
    /// A Hub with the tiny target and its drafter.
    ///
    /// # Errors
    /// When they cannot be made.
    pub async fn new() -> Outcome<Self> {
        let models = tiny::models().await?;
        let target = of_folder(TARGET, &models.path().join(tiny::TARGET))?;
        let drafter = of_folder(DRAFTER, &models.path().join(tiny::DRAFTER))?;
        let folder = tempfile::tempdir()?;
        fs::create_dir_all(folder.path().join("user"))?;
        Ok(Self { fake: FakeHub::start(vec![target, drafter])?, folder, limits: hasty(), models })
    }

    /// The folder that the model called `name` was made in.
    #[must_use]
    pub fn made(&self, name: &str) -> PathBuf {
        self.models.path().join(name)
    }

    /// The home of the user, where other programs have their folders.
    #[must_use]
    pub fn user(&self) -> PathBuf {
        self.folder.path().join("user")
    }

    /// The app's own data folder.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The app, as a new process opens it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn app(&self) -> Outcome<App> {
        let variables = [("HF_ENDPOINT", OsString::from(self.fake.endpoint())), ("HOME", self.user().into())];
        Ok(App::open_in(&self.home(), Surroundings::of(variables, self.limits.clone())).await?)
    }
}

/// Makes the home of `app` one whose user wants nothing of the models that come with it.
///
/// # Errors
/// When they cannot be added or removed.
pub async fn bare(app: &App) -> Outcome {
    app.start_demo().await?;
    for model in app.models().await? {
        app.remove_model(&model.id).await?;
    }
    app.empty_trash().await?;
    Ok(())
}

/// A repo that holds the files of a folder.
///
/// # Errors
/// When it cannot be read.
pub fn of_folder(id: &str, folder: &Path) -> Outcome<Repo> {
    let mut repo = Repo::new(id);
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Outcome<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let content = Content::of(fs::read(&path)?);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_large = name.ends_with(".safetensors");
        repo = if is_large { repo.large(&name, content) } else { repo.small(&name, content) };
    }
    Ok(repo)
}

/// Writes files of a repo into the cache of the Hub's tools as these do, and returns the snapshot's folder.
///
/// # Errors
/// When they cannot be written.
pub fn cached(user: &Path, repo: &Repo, is_kept: impl Fn(&str) -> bool) -> Outcome<PathBuf> {
    let root = user.join(".cache/huggingface/hub").join(format!("models--{}", repo.id.replace('/', "--")));
    let snapshot = root.join("snapshots").join(&repo.commit);
    for folder in [&snapshot, &root.join("blobs"), &root.join("refs")] {
        fs::create_dir_all(folder)?;
    }
    fs::write(root.join("refs/main"), &repo.commit)?;
    for file in repo.files.iter().filter(|file| is_kept(&file.path)) {
        let hash = file.listed.hash(file.is_large).to_string();
        fs::write(root.join("blobs").join(&hash), file.listed.bytes())?;
        symlink(Path::new("../../blobs").join(hash), snapshot.join(&file.path))?;
    }
    Ok(snapshot)
}

/// Changes a byte of a file behind everybody's back.
///
/// # Errors
/// When it cannot be written.
pub fn spoil(path: &Path) -> Outcome {
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    let mut bytes = fs::read(path)?;
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    Ok(fs::write(path, bytes)?)
}

/// The job that an offer becomes.
///
/// # Errors
/// When it is no job, for all of it is there.
pub async fn job(app: &App, offer: &Offer) -> Outcome<Download> {
    match app.get(offer).await? {
        Got::Coming(download) => Ok(download),
        Got::Installed(model) => Err(format!("{} is there already", model.id).into()),
    }
}

/// Downloads a repo and returns the id of the model that it becomes.
///
/// # Errors
/// When it does not become one.
pub async fn install(app: &App, repo: &str) -> Outcome<String> {
    let job = job(app, &app.offer(repo, "main").await?).await?;
    let done = app.run_download(job.id).await?;
    if done.state != DownloadState::Done {
        return Err(format!("{repo} is {:?}: {:?}", done.state, done.reason).into());
    }
    Ok(done.model.ok_or("it became no model")?)
}
