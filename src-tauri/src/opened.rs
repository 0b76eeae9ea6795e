//! The app behind the window, opened when something is first asked of it.
//!
//! So the window is there at once, and whatever is wrong with the data folder or the database is a sentence in it.
//! The next question tries again.

use app::App;
use tokio::sync::OnceCell;

use crate::wire::Failure;

/// The app, once it is open.
#[derive(Default)]
pub(crate) struct Opened(OnceCell<App>);

impl Opened {
    /// The open app.
    pub(crate) async fn app(&self) -> Result<&App, Failure> {
        let open = || async {
            let app = App::open(&app::home()?).await?;
            app.interrupt_abandoned().await?;
            // Without them the window offers them, and says then why they cannot be had; the next start tries again.
            drop(app.start_demo().await);
            app.start_library();
            Ok::<_, app::Error>(app)
        };
        Ok(self.0.get_or_try_init(open).await?)
    }

    /// The app, if anything was asked of it yet.
    pub(crate) fn get(&self) -> Option<&App> {
        self.0.get()
    }
}
